// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared by the verbs of tpctl: their declarations, exit codes, and messages.

#ifndef TPCTL_VERB_H
#define TPCTL_VERB_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <functional>

namespace CLI {
class App;
}

namespace tpctl {

/// Documented in the manual page. `record` ends with the exit code of its
/// command.
enum ExitCode : int {
  Done = 0,
  Failure = 1,
  WrongUsage = 2,
  ConditionHolds = 3
};

/// Each of these functions adds its verb to the command line. If the user gives
/// the verb, `Chosen` is set to the function that runs it.
using Action = std::function<llvm::Expected<ExitCode>()>;
void addReport(CLI::App &Top, Action &Chosen);
void addGraph(CLI::App &Top, Action &Chosen);
void addDiff(CLI::App &Top, Action &Chosen);
void addExport(CLI::App &Top, Action &Chosen);
void addView(CLI::App &Top, Action &Chosen);
void addPack(CLI::App &Top, Action &Chosen);
void addAttach(CLI::App &Top, Action &Chosen);
void addOn(CLI::App &Top, Action &Chosen);
void addOff(CLI::App &Top, Action &Chosen);
void addStatus(CLI::App &Top, Action &Chosen);
void addSnapshot(CLI::App &Top, Action &Chosen);
/// `Command` is the part of the command line after --.
void addRecord(CLI::App &Top, Action &Chosen, llvm::ArrayRef<char *> Command);
void addList(CLI::App &Top, Action &Chosen, llvm::ArrayRef<char *> Command);
void addCount(CLI::App &Top, Action &Chosen, llvm::ArrayRef<char *> Command);
void addTop(CLI::App &Top, Action &Chosen, llvm::ArrayRef<char *> Command);
void addHist(CLI::App &Top, Action &Chosen, llvm::ArrayRef<char *> Command);
void addTrace(CLI::App &Top, Action &Chosen, llvm::ArrayRef<char *> Command);

/// Prints a line to standard error, after the tool's name.
void note(const llvm::Twine &Message);

} // namespace tpctl

#endif
