// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The settings of one compilation. clang's plugin arguments (`entry=2,0`) and
// the -mllvm options (`-tp-entry=2,0`) are parsed by the same code. Used on the
// thread that compiles; the -mllvm values are read-only after the command line.

#ifndef TP_OPTIONS_H
#define TP_OPTIONS_H

#include "SledSpec.h"
#include "llvm/Support/VirtualFileSystem.h"
#include <memory>
#include <string>
#include <vector>

#define TP_EXPORT __attribute__((visibility("default")))

namespace llvm {
class PassBuilder;
}

namespace tp {

class FilterList;

struct Options {
  std::optional<EntrySpec> Entry;
  bool Exit = false;
  bool SlotAuto = true;
  unsigned Threshold = 0;
  bool Opaque = false;
  bool Names = false;
  bool Help = false;           ///< only the list of keys was asked for
  bool ToBitcode = false;      ///< another command generates the code
  bool NoPasses = false;       ///< clang builds no pipeline to add a pass to
  bool AfterOptimiser = false; ///< code generation begins: too late to hide
  std::vector<std::string> FilterFiles;
  std::shared_ptr<const FilterList> Filter;
};

/// Takes one setting, \p Key and \p Value as written behind the prefix. Returns
/// an empty string, or the rest of a message that names the flag: "expected
/// ...".
TP_EXPORT std::string applyOption(Options &O, llvm::StringRef Key,
                                  llvm::StringRef Value, bool HasValue);

/// All keys with one line each, behind \p Prefix.
TP_EXPORT std::string optionsHelp(llvm::StringRef Prefix);

/// Reads the filter files. Returns an empty string or a whole message.
TP_EXPORT std::string loadFilters(Options &O, llvm::vfs::FileSystem &FS);

/// What -mllvm -tp-... asked for; false, with a message, if that makes no
/// sense.
bool optionsFromCommandLine(Options &O, std::string &Error);

/// Has the decision pass run before every pipeline that \p PB builds.
TP_EXPORT void addDecidePass(llvm::PassBuilder &PB, const Options &O);

/// True for the first copy of the library in this process; a second one, loaded
/// from another path, must keep quiet.
bool isFirstCopy();
/// The same question for libtp.so, answered true once.
TP_EXPORT bool claimFrontend();

} // namespace tp

#endif
