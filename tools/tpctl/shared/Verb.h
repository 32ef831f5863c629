// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared by the verbs of tpctl: their declarations, exit codes, and messages.

#ifndef TPCTL_VERB_H
#define TPCTL_VERB_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <functional>

namespace tpctl {

class CommandLine;

/// Documented in the manual page. `record` ends with the exit code of its
/// command.
enum ExitCode : int {
  Done = 0,
  Failure = 1,
  WrongUsage = 2,
  ConditionHolds = 3
};

/// What a verb does.
using Action = std::function<llvm::Expected<ExitCode>()>;

/// Each of these functions adds its verb to the command line.
void addReport(CommandLine &Line);
void addGraph(CommandLine &Line);
void addDiff(CommandLine &Line);
void addExport(CommandLine &Line);
void addView(CommandLine &Line);
void addPack(CommandLine &Line);
void addAttach(CommandLine &Line);
void addOn(CommandLine &Line);
void addOff(CommandLine &Line);
void addStatus(CommandLine &Line);
void addSnapshot(CommandLine &Line);
/// `Command` is the part of the command line after --.
void addRecord(CommandLine &Line, llvm::ArrayRef<char *> Command);
void addList(CommandLine &Line, llvm::ArrayRef<char *> Command);
void addCount(CommandLine &Line, llvm::ArrayRef<char *> Command);
void addTop(CommandLine &Line, llvm::ArrayRef<char *> Command);
void addHist(CommandLine &Line, llvm::ArrayRef<char *> Command);
void addTrace(CommandLine &Line, llvm::ArrayRef<char *> Command);
void addRun(CommandLine &Line, llvm::ArrayRef<char *> Command);

/// Prints a line to standard error, after the tool's name.
void note(const llvm::Twine &Message);

} // namespace tpctl

#endif
