// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the options at code generation and for LLVM IR, where no frontend of
// ours has just decided. clang gives a plugin its arguments only when it parses
// source. For IR, this file reads the arguments from the process's command
// line. Used on the thread that compiles.

#ifndef TP_SETTINGS_H
#define TP_SETTINGS_H

#include "Options.h"

namespace tp {

/// What the later steps of a thread's compilation must know about the frontend.
struct Frontend {
  /// clang parsed source, so the plugin had its arguments.
  bool Parsed = false;
  /// Set if no pass runs between the frontend and code generation. Code
  /// generation then decides by these options.
  std::optional<Options> Undecided;
  /// Set if clang cannot be given the decision pass itself (ClangCompat.h): the
  /// options by which the pipeline decides.
  std::optional<Options> AtPipelineStart;
};
/// The state of this thread.
TP_EXPORT Frontend &frontend();

/// If a frontend ran but made no decisions, returns the frontend's options. If
/// no frontend ran, returns the plugin's arguments. Adds the -mllvm options in
/// both cases.
llvm::Expected<Options> currentSettings();

} // namespace tp

#endif
