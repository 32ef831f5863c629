// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which options hold where no frontend of ours has just decided: at code
// generation, and for LLVM IR. clang hands a plugin its arguments only where it
// parses source. For IR they are found in the process's command line. Used on
// the thread that compiles.

#ifndef TP_SETTINGS_H
#define TP_SETTINGS_H

#include "Options.h"

namespace tp {

/// What the rest of a thread's compilation has to know of its frontend.
struct Frontend {
  /// clang parsed source, so the plugin had its arguments.
  bool Parsed = false;
  /// Set if no pass was to run since: code generation decides by these.
  std::optional<Options> Undecided;
};
/// This thread's.
TP_EXPORT Frontend &frontend();

/// The frontend's options if it left the decisions undone, the plugin's
/// arguments if there was no frontend, and on top of them what -mllvm says.
llvm::Expected<Options> currentSettings();

} // namespace tp

#endif
