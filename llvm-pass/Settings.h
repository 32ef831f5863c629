// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which settings hold where no frontend of ours has just decided: at code
// generation, and for LLVM IR. clang hands a plugin its arguments only where it
// parses source; for IR they are found in the process's command line. Used on
// the thread that compiles.

#ifndef TP_SETTINGS_H
#define TP_SETTINGS_H

#include "Options.h"

namespace llvm {
class Module;
}

namespace tp {

/// What the rest of a thread's compilation has to know of its frontend.
struct Frontend {
  bool Parsed = false; ///< clang parsed source: the plugin had its arguments
  /// No pass was to run since: code generation decides by these.
  std::optional<Options> Undecided;
};
/// This thread's.
TP_EXPORT Frontend &frontend();

/// How the user writes flags: our driver turns -ftp-KEY into clang's long form,
/// and leaves a variable.
TP_EXPORT const char *flagPrefix();

/// Takes the plugin's arguments, "KEY" or "KEY=VALUE", without reading filter
/// files. Returns an empty string or a whole message.
TP_EXPORT std::string applyArguments(Options &O,
                                     llvm::ArrayRef<std::string> Arguments);

/// Fills in \p O for \p M: what the frontend left undone, or the plugin's
/// arguments if \p M is IR that was not decided by some before, and then what
/// -mllvm says. False, with a message, if that makes no sense.
bool settingsFor(const llvm::Module &M, Options &O, std::string &Error);

/// Notes in \p M that flags had their say: a later command's are not asked.
void markDecided(llvm::Module &M);

} // namespace tp

#endif
