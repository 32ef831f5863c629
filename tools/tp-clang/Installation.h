// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where this driver's own files are, found from the running program's place, so
// that a build folder or an installation may be moved; and the real clang.
#ifndef TP_CLANG_INSTALLATION_H
#define TP_CLANG_INSTALLATION_H

#include <string>
#include <vector>

namespace tp {

/// Files of the build folder or installation that this program belongs to.
struct Installation {
  std::string Root;      // holds bin and libexec
  std::string LibDir;    // holds the libraries
  std::string Plugin;    // libtp.so, empty if missing
  std::string LTOPlugin; // libtppass.so, empty if missing
  /// The folder that holds tprt/tprt.h and nothing else, empty if missing: a
  /// prefix that is shared with other packages does not lend their headers.
  std::string IncludeDir;
};

Installation findInstallation();

/// The compiler to run, and arguments that it needs in front.
struct RealClang {
  std::string Path;
  std::string Folder; // of the program itself, links followed
  bool IsConfigured;  // not chosen by the environment
  std::vector<std::string> FirstArgs;
};

/// TP_CLANG or TP_CLANGXX if set, else the configured one; never a copy of this
/// program. Ends the program with a message if there is none.
RealClang findRealClang(const Installation &Own, bool CPlusPlus);

std::vector<std::string> splitPath(const std::string &Path);
bool isExecutable(const std::string &Path);
/// The absolute path with all links followed, or "" if there is no such file.
std::string realPath(const std::string &Path);
/// The first executable of that name in PATH, or "".
std::string findInPath(const std::string &Name);

} // namespace tp

#endif
