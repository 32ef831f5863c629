// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which settings hold where no frontend of ours has just decided: at code
// generation, and for LLVM IR. clang hands a plugin its arguments only where it
// parses source; for IR they are found in the process's command line. Used on
// the thread that compiles.

#ifndef TP_SETTINGS_H
#define TP_SETTINGS_H

#include "Options.h"

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

/// Fills in \p O: the frontend's settings if it left the decisions undone, the
/// plugin's arguments if there was none, and then what -mllvm says. False, with
/// a message, if that makes no sense.
bool currentSettings(Options &O, std::string &Error);

} // namespace tp

#endif
