// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collects the compile commands to scan. Used by main, before any thread
// starts.

#ifndef TP_SELECT_COMMANDS_H
#define TP_SELECT_COMMANDS_H

#include "clang/Tooling/CompilationDatabase.h"
#include "llvm/Support/Error.h"

namespace tp {

struct CommandOptions {
  std::string BuildPath;            ///< -p
  std::vector<std::string> Sources; ///< none: all of the database
  std::vector<std::string> ExtraBefore, Extra;
  std::vector<std::string> TpFlags; ///< KEY[=VALUE], after -ftp-
  /// The arguments after `--`.
  std::unique_ptr<clang::tooling::CompilationDatabase> Fixed;
};

/// Returns the commands in a reproducible order, each ready to be scanned.
llvm::Expected<std::vector<clang::tooling::CompileCommand>>
findCommands(const CommandOptions &O);

} // namespace tp

#endif
