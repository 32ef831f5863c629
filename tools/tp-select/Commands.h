// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The compile commands to look at. Used by main, before any thread starts.

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
  /// What stood after `--`.
  std::unique_ptr<clang::tooling::CompilationDatabase> Fixed;
};

/// In a reproducible order, each ready to be scanned.
llvm::Expected<std::vector<clang::tooling::CompileCommand>>
findCommands(const CommandOptions &O);

} // namespace tp

#endif
