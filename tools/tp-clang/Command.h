// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The properties of a clang command line that decide what the driver adds.
// Reads only the arguments, and opens no file.
#ifndef TP_CLANG_COMMAND_H
#define TP_CLANG_COMMAND_H

#include <string>
#include <vector>

namespace tp {

struct Command {
  /// The first argument is -cc1 or similar, so this is not a driver command.
  bool IsInternal = false;
  /// There is an input file or a library.
  bool HasInput = false;
  /// At least one input takes part in a link. Headers do not.
  bool HasLinkInput = false;
  /// There is an input in LLVM IR.
  bool HasIR = false;
  /// There is an input that is preprocessed, so include folders matter.
  bool HasSource = false;
  /// An option such as -c, -S or -E stops clang before the link.
  bool StopsBeforeLink = false;
  /// The user's `-fplugin=` names a libtp.so, with or without a folder.
  bool NamesPlugin = false;
  /// The user names libtprt: -ltprt, -l:libtprt.a or its path.
  bool NamesRuntime = false;
  /// The user names libtprt as an archive.
  bool NamesArchive = false;

  bool Relocatable = false; // -r
  bool Shared = false;      // -shared
  bool Static = false;      // -static, -static-pie
  bool NoDefaultLibs = false;
  bool NoStandardIncludes = false; // -nostdinc, -nostdlibinc
  bool ForeignMode = false;        // --driver-mode=cl, cpp, ...
  bool ThirtyTwoBit = false;
  bool LTO = false;

  std::string Target;                      // of --target=, as written
  std::string UseLd;                       // of the last -fuse-ld=
  std::string LdPath;                      // of the last --ld-path=
  std::vector<std::string> Prefixes;       // of -B
  std::vector<std::string> SystemIncludes; // of -isystem

  /// True if clang will run a linker.
  bool links() const {
    return HasLinkInput && !StopsBeforeLink && !ForeignMode && !IsInternal;
  }
};

/// The number of arguments after \p Arg that are its values.
unsigned countValues(const std::string &Arg);

/// Reads \p Args, which no longer contains response files.
Command readCommand(const std::vector<std::string> &Args);

bool startsWith(const std::string &Text, const char *Prefix);

/// The part of \p Path after its last slash.
std::string baseName(const std::string &Path);

} // namespace tp

#endif
