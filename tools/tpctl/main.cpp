// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tpctl: the command line. One verb is carried out; a file a verb.

#include "shared/Verb.h"

#include "Config.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"
#include <CLI/CLI.hpp>
#include <csignal>
#include <fcntl.h>
#include <sstream>
#include <unistd.h>

using namespace llvm;
using namespace tpctl;

namespace {

int fail(const Twine &Message) {
  WithColor::error(errs(), "tpctl") << Message << '\n';
  return Failure;
}

/// Takes what is behind -- off the arguments of a verb that runs a command.
ArrayRef<char *> commandOf(int &Argc, char **Argv) {
  if (Argc < 2 ||
      !is_contained({"record", "list", "count", "top", "hist", "trace"},
                    StringRef(Argv[1])))
    return {};
  ArrayRef<char *> All(Argv, static_cast<size_t>(Argc));
  auto *Split = find_if(All, [](char *Arg) { return StringRef(Arg) == "--"; });
  if (Split == All.end())
    return {};
  Argc = static_cast<int>(Split - All.begin());
  return ArrayRef(Split + 1, All.end());
}

/// The line of usage shows the arguments without an option. A screen has no
/// room to list them again.
class Help : public CLI::Formatter {
public:
  std::string make_positionals(const CLI::App *) const override { return ""; }
  /// The empty line at the end would be one too many for the list of verbs.
  std::string make_help(const CLI::App *App, std::string Name,
                        CLI::AppFormatMode Mode) const override {
    std::string Text = CLI::Formatter::make_help(App, Name, Mode);
    Text = StringRef(Text).rtrim().str() + "\n";
    // A long one goes without what its reader misses least.
    constexpr int ScreenLines = 24;
    for (StringRef Less : {"\n\n", "  -h,--help", "Options:\n"}) {
      size_t At = Text.find(Less.str());
      if (llvm::count(Text, '\n') > ScreenLines && At != std::string::npos)
        Text.erase(At, Text.find('\n', At) + 1 - At);
    }
    return Text;
  }
};

/// CLI11 takes an empty text for 0.
std::string refuseEmpty(const std::string &Value) {
  return Value.empty() ? "a value is needed, and this one is empty" : "";
}

/// CLI11 takes -1 for a very large number.
std::string refuseNegative(const std::string &Value) {
  return StringRef(Value).trim().starts_with("-") ? "'" + Value + "' is below 0"
                                                  : "";
}

/// Holds for each option that takes a value; patterns and files are looked at
/// by who uses them.
void refuseOddValues(CLI::App &Top) {
  for (CLI::App *Verb : Top.get_subcommands({}))
    for (CLI::Option *O : Verb->get_options()) {
      if (!O->get_expected_max() || O->get_positional())
        continue;
      O->check(refuseEmpty, "");
      if (O->get_type_name() == "UINT" || O->get_type_name() == "INT")
        O->check(refuseNegative, "");
    }
}

/// nullptr: nothing is wrong with the verb. CLI11 says only that one is needed.
const char *unknownVerb(CLI::App &Top, int Argc, char **Argv) {
  if (Argc < 2 || Argv[1][0] == '-' ||
      any_of(
          Top.get_subcommands({}),
          [&](auto *Verb) { return Verb->get_name() == Argv[1]; }))
    return nullptr;
  return Argv[1];
}

ExitCode refuseVerb(CLI::App &Top, StringRef Given) {
  std::string Nearest;
  auto Least = static_cast<unsigned>(Given.size() / 3 + 2);
  for (CLI::App *Verb : Top.get_subcommands({})) {
    StringRef Name = Verb->get_name();
    unsigned Distance = Given.edit_distance(Name);
    if (Distance >= Least || Distance >= Name.size())
      continue;
    Least = Distance;
    Nearest = Name.str();
  }
  fail("'" + Given + "' is no verb" +
       (Nearest.empty() ? "" : ": did you mean '" + Nearest + "'?") +
       " (tpctl --help lists all)");
  return WrongUsage;
}

/// What CLI11 has to say goes where withOutput() looks.
ExitCode tellParsed(const CLI::App &Top, const CLI::ParseError &E) {
  std::ostringstream Out, Err;
  int Code = Top.exit(E, Out, Err);
  outs() << Out.str();
  errs() << Err.str();
  return Code ? WrongUsage : Done;
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
  if (const char *Given = unknownVerb(Top, Argc, Argv))
    return refuseVerb(Top, Given);
  try {
    Top.parse(Argc, Argv);
  } catch (const CLI::ParseError &E) {
    return tellParsed(Top, E);
  }
  Expected<ExitCode> Code = Chosen();
  if (!Code)
    return fail(toString(Code.takeError()));
  return *Code;
}

/// Opens what is closed of standard input, output and error. Otherwise a file
/// that tpctl opens would get such a number, and what is meant for standard
/// output would be written there. What is written to an output that was closed
/// fails as before; what is written to such an error goes nowhere. A command
/// finds all of them closed.
void openClosed() {
  for (int Number : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(Number, F_GETFD) < 0)
      open("/dev/null",
           (Number == STDERR_FILENO ? O_WRONLY : O_RDONLY) | O_CLOEXEC);
}

/// What could not be written to standard output is a failure, except where its
/// reader has seen enough. Without this, LLVM ends the program in its own way.
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
  WithColor::note(errs(), "tpctl") << Message << '\n';
}

int main(int Argc, char **Argv) {
  WithColor::setAutoDetectFunction([](const raw_ostream &OS) {
    return !getenv("NO_COLOR") && OS.has_colors();
  });
  // A file over the size limit, or a closed pipe, makes the write fail.
  std::signal(SIGXFSZ, SIG_IGN);
  std::signal(SIGPIPE, SIG_IGN);
  openClosed();
  return withOutput(run(Argc, Argv));
}
