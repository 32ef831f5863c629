// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Usage.h. CLI11's messages describe its own classes, not the arguments
// that the user typed. This file replaces the messages that a user may see.

#include "Usage.h"

#include "Processes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace tpctl {

namespace {

/// The value of -p often comes from a command that may print nothing.
constexpr char NoPid[] =
    "-p has no value: give a process's number, as in -p $(pidof server), which "
    "prints nothing if no such process runs";

const CLI::Option *findOption(const CLI::App &Verb, StringRef Name) {
  for (const CLI::Option *O : Verb.get_options())
    if (O->check_name(Name.str()))
      return O;
  return nullptr;
}

bool takesProcesses(const CLI::App &Verb) { return findOption(Verb, "--pid"); }

/// The arguments for a verb's target, as in the usage line.
std::string subjectOf(const CLI::App &Verb) {
  if (!takesProcesses(Verb))
    return "";
  if (!runsCommand(Verb.get_name()))
    return " -p PID";
  return findOption(Verb, "--binary") ? " {-p PID | -b FILE | -- COMMAND...}"
                                      : " {-p PID | -- COMMAND...}";
}

/// The name that is most similar to the given one, or "" if none is similar.
std::string mostLike(StringRef Given, ArrayRef<std::string> Names) {
  std::string Best;
  size_t Least = Given.size() / 3 + 2; // with more changes, a different word
  for (const std::string &Name : Names) {
    size_t Distance = Given.edit_distance(Name);
    if (Distance < Least) {
      Least = Distance;
      Best = Name;
    }
  }
  return Best;
}

std::string didYouMean(StringRef Given, ArrayRef<std::string> Names) {
  std::string Name = mostLike(Given, Names);
  return Name.empty() ? "" : "; did you mean " + Name + "?";
}

/// `Fault` may end with a question.
std::string withHint(StringRef Fault, const Twine &Hint) {
  return (Fault + (Fault.ends_with("?") ? " " : "; ") + Hint).str();
}

/// The user gave a process without -p: by its number alone, or by the name of
/// its program.
std::string didYouMeanProcess(StringRef Given) {
  pid_t Pid = 0;
  if (to_integer(Given, Pid, 10))
    return Pid > 0 ? "; did you mean -p " + Given.str() + "?" : "";
  std::vector<pid_t> Found = processesOf(Given);
  constexpr size_t Most = 3;
  if (Found.empty() || Found.size() > Most)
    return "";
  std::vector<std::string> Options;
  for (pid_t One : Found)
    Options.push_back("-p " + std::to_string(One));
  return "; did you mean " + join(Options, " or ") + "?";
}

std::string describeExtra(const CLI::App &Verb, StringRef Extra) {
  if (!Extra.starts_with("-"))
    return "'" + Extra.str() + "' is one argument too many" +
           (takesProcesses(Verb) ? didYouMeanProcess(Extra) : "");
  std::vector<std::string> Names;
  for (const CLI::Option *O : Verb.get_options())
    for (const std::string &Long : O->get_lnames())
      Names.push_back("--" + Long);
  StringRef Name = Extra.split('=').first;
  return "'" + Name.str() + "' is not an option of " + Verb.get_name() +
         didYouMean(Name, Names);
}

/// The texts are those of CLI/Error.hpp. Other texts are shown unchanged.
std::string describe(const CLI::App &Verb, const CLI::Error &E) {
  StringRef Text = E.what();
  auto [Name, Rest] = Text.split(": ");
  if (Name.starts_with("The following argument"))
    return describeExtra(Verb, Rest.split(' ').first);
  if (Text.consume_front("Could not convert: ")) {
    auto [Option, Given] = Text.split(" = ");
    if (Option != "--pid")
      return (Option + " takes a number, not '" + Given + "'").str();
    std::string Hint = didYouMeanProcess(Given);
    return "--pid takes a process's number, as in -p $(pidof server), not '" +
           Given.str() + "'" +
           (Hint.empty() ? "; pidof prints nothing if no such process runs"
                         : Hint);
  }
  if (E.get_name() == "ArgumentMismatch" && Rest.starts_with("At Most 1 "))
    return (Verb.get_name() + " takes one " + Name).str();
  if (StringRef Given = Text; Given.consume_front("--pid: -p"))
    return "-p" + Given.str();
  if (E.get_name() == "ArgumentMismatch" && Rest.ends_with(" missing"))
    return Name == "--pid" ? NoPid : (Name + " needs a value after it").str();
  if (E.get_name() == "ExcludesError") {
    auto [One, Other] = Text.split(" excludes ");
    return (One + " and " + Other + " cannot be given together").str();
  }
  return Text.str();
}

/// CLI11 reads an empty text as 0.
std::string refuseEmpty(const std::string &Value) {
  return Value.empty() ? "a value is needed, but this one is empty" : "";
}

/// CLI11 reads -1 as a very large number.
std::string refuseNegative(const std::string &Value) {
  return StringRef(Value).trim().starts_with("-") ? "'" + Value + "' is below 0"
                                                  : "";
}

/// CLI11 takes the option after an empty -p $(pidof server) as its value.
std::string refuseNoPid(const std::string &Value) {
  pid_t Pid = 0;
  bool IsOption =
      StringRef(Value).starts_with("-") && !to_integer(Value, Pid, 10);
  return Value.empty() || IsOption ? NoPid : "";
}

/// CLI11 reads [a,b] as two values, a and b, and [fg] as fg. A glob or the name
/// of a file may look like that. So this text is appended to such a value
/// before CLI11 gets the value.
constexpr char Guard = '\x01';

std::string withoutGuard(const std::string &Value) {
  return StringRef(Value).rtrim(Guard).str();
}

} // namespace

std::vector<std::string> guarded(std::vector<std::string> Arguments) {
  for (std::string &One : Arguments)
    if (StringRef(One).starts_with("[") && StringRef(One).ends_with("]"))
      One += Guard;
  return Arguments;
}

void refuseOddValues(CLI::App &Top) {
  for (CLI::App *Verb : Top.get_subcommands({}))
    for (CLI::Option *O : Verb->get_options()) {
      if (!O->get_expected_max())
        continue;
      O->transform(withoutGuard, "");
      if (O->get_positional())
        continue;
      O->check(O->check_name("--pid") ? refuseNoPid : refuseEmpty, "");
      if (O->get_type_name() == "UINT" || O->get_type_name() == "INT")
        O->check(refuseNegative, "");
    }
}

bool runsCommand(StringRef Verb) {
  return is_contained({"record", "list", "count", "top", "hist", "trace"},
                      Verb);
}

std::string noneOf(const std::string &Given, ArrayRef<std::string> Names) {
  return "'" + Given + "' is none of " + join(Names, ", ");
}

CLI::Validator oneOf(std::vector<std::string> Names) {
  auto Check = [Names](std::string &Given) -> std::string {
    return is_contained(Names, Given) ? "" : noneOf(Given, Names);
  };
  return CLI::Validator(Check, "");
}

std::string explainVerb(const CLI::App &Top, StringRef First) {
  std::vector<std::string> Verbs;
  for (const CLI::App *Verb : Top.get_subcommands({}))
    Verbs.push_back(Verb->get_name());
  if (First.starts_with("-") || is_contained(Verbs, First))
    return "";
  return withHint("'" + First.str() + "' is not a verb" +
                      didYouMean(First, Verbs),
                  "'tpctl --help' lists the verbs");
}

std::string explainUsage(const CLI::App &Top, const CLI::Error &E) {
  auto Given = Top.get_subcommands();
  if (Given.empty())
    return "no verb is given; 'tpctl --help' lists the verbs";
  const CLI::App &Verb = *Given.front();
  std::string Wrong = describe(Verb, E);
  std::erase(Wrong, Guard);
  return withHint(Wrong, "see 'tpctl " + Verb.get_name() + " --help'");
}

std::string Help::make_usage(const CLI::App *App, std::string Name) const {
  // This verb accepts either a file, or a process and patterns.
  if (App->get_name() == "trace")
    return "Usage: " + Name + " [OPTIONS] {FILE | [PATTERN...]" +
           subjectOf(*App) + "}\n";
  std::string Usage = CLI::Formatter::make_usage(App, Name);
  return StringRef(Usage).rtrim().str() + subjectOf(*App) + "\n";
}

/// tpctl's own help. The verbs are in two groups.
static std::string helpOfAll(const CLI::App &Top) {
  std::string Live, Files;
  for (const CLI::App *Verb : Top.get_subcommands({})) {
    std::string Name = Verb->get_name();
    Name.resize(12, ' ');
    (takesProcesses(*Verb) ? Live : Files) +=
        "  " + Name + Verb->get_description() + "\n";
  }
  return "Usage: tpctl VERB [OPTIONS] [PATTERN...] [FILE...] [-- COMMAND...]\n"
         "Processes (-p PID) or a command (-- COMMAND...):\n" +
         Live + "Recordings, which are files:\n" + Files +
         "\nPATTERN is a name with * and ?, module!name, @file.c, /regex/; "
         "!name excludes.\n"
         "tpctl VERB --help lists options, man tpctl-VERB explains them; "
         "--version.\n";
}

std::string Help::make_help(const CLI::App *App, std::string Name,
                            CLI::AppFormatMode Mode) const {
  if (!App->get_parent())
    return helpOfAll(*App);
  std::string Text = CLI::Formatter::make_help(App, Name, Mode);
  Text = StringRef(Text).rtrim().str() + "\n";
  // A long help leaves out its least important part.
  constexpr int ScreenLines = 24;
  for (StringRef Less : {"\n\n", "  -h,--help", "Options:\n"}) {
    size_t At = Text.find(Less.str());
    if (llvm::count(Text, '\n') > ScreenLines && At != std::string::npos)
      Text.erase(At, Text.find('\n', At) + 1 - At);
  }
  return Text;
}

} // namespace tpctl
