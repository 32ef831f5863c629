// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See CommandLine.h.

#include "CommandLine.h"

#include "Processes.h"
#include "Usage.h"
#include "UsageError.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <CLI/CLI.hpp>
#include <sstream>

using namespace llvm;

namespace tpctl {

namespace {

/// CLI11 reads an empty text as 0.
std::string refuseEmpty(const std::string &Value) {
  return Value.empty() ? "a value is needed, but this one is empty" : "";
}

/// CLI11 reads -1 as a very large number.
std::string refuseNegative(const std::string &Value) {
  return StringRef(Value).trim().starts_with("-") ? "'" + Value + "' is below 0"
                                                  : "";
}

/// Replaces the name of a process's program by the process's number. CLI11
/// takes the option after an empty -p $(pidof server) as a value.
std::string findProcess(std::string &Value) {
  pid_t Pid = 0;
  if (to_integer(Value, Pid, 10))
    return "";
  if (Value.empty() || StringRef(Value).starts_with("-"))
    return NoPid;
  std::vector<pid_t> Found = processesOf(Value);
  if (Found.size() != 1)
    return whyNotOne(Value, Found);
  Value = std::to_string(Found.front());
  return "";
}

/// CLI11 reads [a,b] as two values, a and b, and [fg] as fg. A glob or the name
/// of a file may look like that. So this text is appended to such a value
/// before CLI11 gets the value. Options still get the text that the user typed.
constexpr char Guard = '\x01';

void addGuard(std::string &Argument) {
  if (StringRef(Argument).starts_with("[") &&
      StringRef(Argument).ends_with("]"))
    Argument += Guard;
}

std::string withoutGuard(const std::string &Value) {
  return StringRef(Value).rtrim(Guard).str();
}

/// Refuses values that CLI11 misunderstands, for each option with a value.
/// Patterns and files are checked where they are used.
void refuseOddValues(CLI::App &Verb) {
  for (CLI::Option *O : Verb.get_options()) {
    if (!O->get_expected_max())
      continue;
    O->transform(withoutGuard, "");
    if (O->get_positional())
      continue;
    if (O->check_name("--pid"))
      O->transform(CLI::Validator(findProcess, ""));
    else
      O->check(refuseEmpty, "");
    if (O->get_type_name() == "UINT" || O->get_type_name() == "INT")
      O->check(refuseNegative, "");
  }
}

/// The help, as Usage.h has it.
class Help : public CLI::Formatter {
public:
  explicit Help(const CommandLine &Line) : Line(Line) {}
  /// The usage line shows the arguments that are not options. A screen has no
  /// room to list them again.
  std::string make_positionals(const CLI::App *) const override { return ""; }
  /// What an option cannot be combined with is said when it is.
  std::string make_option_opts(const CLI::Option *O) const override {
    const std::string &Value = O->get_option_text();
    return Value.empty() ? "" : " " + Value;
  }
  std::string make_usage(const CLI::App *App, std::string Name) const override {
    auto *Verb = find_if(Line.verbs(), [&](const auto &One) {
      return One->name() == App->get_name();
    });
    return usageOf(**Verb, Name, CLI::Formatter::make_usage(App, Name));
  }
  std::string make_help(const CLI::App *App, std::string Name,
                        CLI::AppFormatMode Mode) const override {
    return App->get_parent()
               ? onScreen(CLI::Formatter::make_help(App, Name, Mode),
                          App->get_name())
               : helpOfAll(Line);
  }

private:
  const CommandLine &Line;
};

} // namespace

Option Option::required() {
  Of->required();
  return *this;
}

Option Option::unlisted() {
  Of->group("");
  return *this;
}

Option Option::excludes(Option Other) {
  Of->excludes(Other.Of);
  return *this;
}

Option Option::takesOne() {
  Of->expected(1);
  return *this;
}

Option Option::takesFollowing() {
  Of->allow_extra_args();
  return *this;
}

Option Option::within(int Least, int Most) {
  Of->check(CLI::Range(Least, Most));
  return *this;
}

Option Option::positive() {
  Of->check(CLI::PositiveNumber);
  return *this;
}

Option Option::existing() {
  Of->check(CLI::ExistingPath);
  return *this;
}

Option Option::oneOf(std::vector<std::string> Texts) {
  Of->check(
      [Texts = std::move(Texts)](const std::string &Given) -> std::string {
        return is_contained(Texts, Given) ? "" : noneOf(Given, Texts);
      },
      "");
  return *this;
}

Option VerbSyntax::addArgument(StringRef Name, std::string &To) {
  return Option(Of.add_option(Name.str(), To)->type_name(""));
}

Option VerbSyntax::addArguments(StringRef Name, std::vector<std::string> &To) {
  return Option(Of.add_option(Name.str(), To)->type_name(""));
}

template <class T>
Option VerbSyntax::addOption(StringRef Names, T &To, StringRef Value,
                             StringRef Description) {
  auto *New = Of.add_option(Names.str(), To, Description.str());
  New->allow_extra_args(false);
  return Option(New->option_text(Value.str()));
}

#define TPCTL_OPTION_OF(...)                                                   \
  template Option VerbSyntax::addOption(StringRef, __VA_ARGS__ &, StringRef,   \
                                        StringRef)
TPCTL_OPTION_OF(std::string);
TPCTL_OPTION_OF(int);
TPCTL_OPTION_OF(uint32_t);
TPCTL_OPTION_OF(uint64_t);
TPCTL_OPTION_OF(double);
TPCTL_OPTION_OF(std::vector<std::string>);
TPCTL_OPTION_OF(std::vector<int>);
TPCTL_OPTION_OF(std::vector<uint32_t>);
#undef TPCTL_OPTION_OF

Option VerbSyntax::addFlag(StringRef Names, bool &To, StringRef Description) {
  return Option(Of.add_flag(Names.str(), To, Description.str()));
}

Option VerbSyntax::addChoiceOf(StringRef Names, std::vector<std::string> Texts,
                               std::function<void(size_t)> Take,
                               StringRef Value, StringRef Description) {
  auto TakeText = [Texts, Take = std::move(Take)](const std::string &Given) {
    Take(static_cast<size_t>(find(Texts, Given) - Texts.begin()));
  };
  auto *New = Of.add_option_function<std::string>(Names.str(), TakeText,
                                                  Description.str());
  llvm::sort(Texts);
  return Option(New->option_text(Value.str())).oneOf(std::move(Texts));
}

void VerbSyntax::setFooter(StringRef Text) { Of.footer(Text.str()); }

const std::string &VerbSyntax::name() const { return Of.get_name(); }

std::string VerbSyntax::description() const { return Of.get_description(); }

bool VerbSyntax::takes(StringRef Name) const {
  return Of.get_option_no_throw(Name.str());
}

std::vector<std::string> VerbSyntax::longNames() const {
  std::vector<std::string> Names;
  for (const CLI::Option *O : Of.get_options())
    for (const std::string &Long : O->get_lnames())
      Names.push_back("--" + Long);
  return Names;
}

bool VerbSyntax::isGiven(StringRef Name) const { return Of.count(Name.str()); }

std::vector<std::string> VerbSyntax::givenArguments() const {
  std::vector<std::string> Given;
  for (const CLI::Option *O : Of.get_options())
    if (O->get_positional())
      append_range(Given, O->results());
  return Given;
}

CommandLine::CommandLine(StringRef Version)
    // A description would not fit on a screen.
    : Top(std::make_unique<CLI::App>("", "tpctl")) {
  Top->set_version_flag("--version", Version.str());
  Top->require_subcommand(1);
  Top->formatter(std::make_shared<Help>(*this));
  Top->get_formatter()->column_width(24); // also of the verbs
}

CommandLine::~CommandLine() = default;

VerbSyntax &CommandLine::addVerb(StringRef Name, StringRef Description) {
  CLI::App &New = *Top->add_subcommand(Name.str(), Description.str());
  Verbs.push_back(std::unique_ptr<VerbSyntax>(new VerbSyntax(New)));
  return *Verbs.back();
}

Expected<Action> CommandLine::parse(std::vector<std::string> Arguments) {
  for (auto &Verb : Verbs)
    refuseOddValues(Verb->Of);
  // "tpctl help [VERB]" prints the same as "tpctl [VERB] --help".
  if (!Arguments.empty() && Arguments.front() == "help") {
    Arguments.erase(Arguments.begin());
    Arguments.push_back("--help");
  }
  if (!Arguments.empty())
    if (std::string Wrong = explainVerb(*this, Arguments.front());
        !Wrong.empty())
      return wrongUsage(Wrong);
  for_each(Arguments, addGuard);
  std::reverse(Arguments.begin(), Arguments.end()); // as CLI11 takes them
  auto given = [&]() -> VerbSyntax * {
    for (CLI::App *First : Top->get_subcommands())
      for (auto &Verb : Verbs)
        if (&Verb->Of == First)
          return Verb.get();
    return nullptr;
  };
  try {
    Top->parse(std::move(Arguments));
  } catch (const CLI::Success &E) { // the help and the version
    std::ostringstream Text;        // the output goes where main() checks
    Top->exit(E, Text, Text);
    return [Text = Text.str()] {
      outs() << Text;
      return Done;
    };
  } catch (const CLI::ParseError &E) {
    std::string Text = E.what();
    std::erase(Text, Guard);
    return wrongUsage(explainUsage(given(), E.get_name(), Text));
  }
  return given()->Does;
}

} // namespace tpctl
