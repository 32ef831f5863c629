// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tpctl: the command line. Runs one verb. Each verb has its own source file.

#include "shared/Output.h"
#include "shared/Progress.h"
#include "shared/Usage.h"
#include "shared/UsageError.h"
#include "shared/Verb.h"

#include "Config.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"
#include <csignal>
#include <fcntl.h>
#include <sstream>
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

/// "tpctl help [VERB]" prints the same as "tpctl [VERB] --help".
std::vector<std::string> withHelpFlag(int Argc, char **Argv) {
  std::vector<std::string> Arguments(Argv + 1, Argv + std::max(Argc, 1));
  if (!Arguments.empty() && Arguments.front() == "help") {
    Arguments.erase(Arguments.begin());
    Arguments.push_back("--help");
  }
  return Arguments;
}

int run(int Argc, char **Argv) {
  ArrayRef<char *> Command = commandOf(Argc, Argv);
  CLI::App Top("", "tpctl"); // a description would not fit on a screen
  Top.set_version_flag("--version", "tpctl (tp " TP_VERSION ")");
  Top.require_subcommand(1);
  Top.formatter(std::make_shared<Help>());
  Top.get_formatter()->column_width(24); // also of the verbs
  if (Argc > 1)
    showProgress(Argv[1]);
  Action Chosen;
  addList(Top, Chosen, Command);
  addOn(Top, Chosen);
  addOff(Top, Chosen);
  addStatus(Top, Chosen);
  addCount(Top, Chosen, Command);
  addTop(Top, Chosen, Command);
  addHist(Top, Chosen, Command);
  addRecord(Top, Chosen, Command);
  addSnapshot(Top, Chosen);
  addAttach(Top, Chosen);
  addReport(Top, Chosen);
  addGraph(Top, Chosen);
  addTrace(Top, Chosen, Command);
  addDiff(Top, Chosen);
  addExport(Top, Chosen);
  addView(Top, Chosen);
  addPack(Top, Chosen);
  refuseOddValues(Top);
  std::vector<std::string> Arguments = guarded(withHelpFlag(Argc, Argv));
  std::string Wrong =
      Arguments.empty() ? "" : explainVerb(Top, Arguments.front());
  std::reverse(Arguments.begin(), Arguments.end()); // as CLI11 takes them
  try {
    if (Wrong.empty())
      Top.parse(std::move(Arguments));
  } catch (const CLI::Success &E) { // the help and the version
    std::ostringstream Text;        // the output goes where withOutput() checks
    Top.exit(E, Text, Text);
    outs() << Text.str();
    return Done;
  } catch (const CLI::ParseError &E) {
    Wrong = explainUsage(Top, E);
  }
  if (!Wrong.empty()) {
    fail(Wrong);
    return WrongUsage;
  }
  Expected<ExitCode> Code = Chosen();
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
