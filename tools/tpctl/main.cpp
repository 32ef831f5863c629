// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tpctl: the command line. Runs one verb. Each verb has its own source file.

#include "shared/CommandLine.h"
#include "shared/FirstProcess.h"
#include "shared/Output.h"
#include "shared/Progress.h"
#include "shared/Usage.h"
#include "shared/UsageError.h"

#include "Config.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"
#include <csignal>
#include <fcntl.h>
#include <unistd.h>

using namespace llvm;
using namespace tpctl;

namespace {

int fail(const Twine &Message) {
  WithColor::error(errs(), "tpctl") << printableLines(Message.str()) << '\n';
  return Failure;
}

/// Removes the command after -- from the arguments of a verb that runs a
/// command.
ArrayRef<char *> commandOf(int &Argc, char **Argv) {
  if (Argc < 2 || !runsCommand(Argv[1]))
    return {};
  ArrayRef<char *> All(Argv, static_cast<size_t>(Argc));
  auto *Split = find_if(All, [](char *Arg) { return StringRef(Arg) == "--"; });
  if (Split == All.end())
    return {};
  Argc = static_cast<int>(Split - All.begin());
  return ArrayRef(Split + 1, All.end());
}

/// A command after -- would be taken for patterns. Returns its fault, or "".
std::string faultOfCommand(int Argc, char **Argv) {
  ArrayRef<char *> All(Argv, static_cast<size_t>(Argc));
  bool OfProcesses =
      Argc > 1 && is_contained({"on", "off", "status", "attach", "snapshot"},
                               StringRef(Argv[1]));
  if (!OfProcesses ||
      none_of(All, [](char *Arg) { return StringRef(Arg) == "--"; }))
    return "";
  return (Twine(Argv[1]) + " takes no command: it is for a process that runs "
                           "(-p PID)")
      .str();
}

int run(int Argc, char **Argv) {
  if (std::string Fault = faultOfCommand(Argc, Argv); !Fault.empty()) {
    fail(Fault);
    return WrongUsage;
  }
  ArrayRef<char *> Command = commandOf(Argc, Argv);
  CommandLine Line("tpctl (tp " TP_VERSION ")");
  if (Argc > 1)
    showProgress(Argv[1]);
  addList(Line, Command);
  addOn(Line);
  addOff(Line);
  addStatus(Line);
  addCount(Line, Command);
  addTop(Line, Command);
  addHist(Line, Command);
  addRecord(Line, Command);
  addSnapshot(Line);
  addRun(Line, Command);
  addAttach(Line);
  addReport(Line);
  addGraph(Line);
  addTrace(Line, Command);
  addDiff(Line);
  addExport(Line);
  addView(Line);
  addPack(Line);
  auto Chosen =
      Line.parse(std::vector<std::string>(Argv + 1, Argv + std::max(Argc, 1)));
  Expected<ExitCode> Code = Chosen ? (*Chosen)() : Chosen.takeError();
  if (!Code) {
    bool IsUsage = Code.errorIsA<UsageError>();
    fail(toString(Code.takeError()));
    return IsUsage ? WrongUsage : Failure;
  }
  return *Code;
}

/// If standard input, output or error is closed, opens it. Otherwise, a file
/// that tpctl opens might get the number of standard output, and output would
/// be written into that file. Writing to a standard output that was closed
/// still fails. Text for a standard error that was closed is discarded. A
/// command that tpctl starts still has these descriptors closed.
void openClosed() {
  for (int Number : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(Number, F_GETFD) < 0)
      open("/dev/null",
           (Number == STDERR_FILENO ? O_WRONLY : O_RDONLY) | O_CLOEXEC);
}

/// If standard output could not be written, that is a failure, unless its
/// reader has closed the pipe. Without this check, LLVM ends the program in its
/// own way.
int withOutput(int Code) {
  outs().flush();
  std::error_code Reason = outs().error();
  outs().clear_error();
  if (Reason && Reason != std::errc::broken_pipe)
    Code = fail("cannot write standard output: " + Reason.message());
  errs().clear_error();
  return Code;
}

} // namespace

void tpctl::note(const Twine &Message) {
  hideProgress();
  WithColor::note(errs(), "tpctl") << printableLines(Message.str()) << '\n';
}

int main(int Argc, char **Argv) {
  if (auto Code = waitAsFirstProcess())
    return *Code;
  WithColor::setAutoDetectFunction([](const raw_ostream &OS) {
    return !getenv("NO_COLOR") && OS.has_colors();
  });
  // A write to a closed pipe or beyond the file size limit must fail. It must
  // not end tpctl by a signal.
  std::signal(SIGXFSZ, SIG_IGN);
  std::signal(SIGPIPE, SIG_IGN);
  openClosed();
  return withOutput(run(Argc, Argv));
}
