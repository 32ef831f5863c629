// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Usage.h. CLI11's messages describe its own classes, not the arguments
// that the user typed. This file replaces the messages that a user may see.

#include "Usage.h"

#include "CommandLine.h"
#include "Output.h"
#include "Processes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <unistd.h>

using namespace llvm;

namespace tpctl {

namespace {

bool takesProcesses(const VerbSyntax &Verb) { return Verb.takes("--pid"); }

/// The arguments for a verb's target, as in the usage line.
std::string subjectOf(const VerbSyntax &Verb) {
  if (!takesProcesses(Verb))
    return "";
  if (!runsCommand(Verb.name()))
    return " -p PID";
  return Verb.takes("--binary") ? " {-p PID | -b FILE | -- COMMAND...}"
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

/// Where an option is that a similar verb has.
std::string ofOtherVerb(StringRef Name) {
  if (Name == "--since")
    return "; count and hist have it, as in tpctl hist --since enqueue:arg0 "
           "dequeue:arg0";
  if (Name == "--open")
    return "; count has it: tpctl count --since malloc:result free:arg0 --open";
  return "";
}

std::string describeExtra(const VerbSyntax &Verb, StringRef Extra) {
  if (!Extra.starts_with("-"))
    return "'" + Extra.str() + "' is one argument too many" +
           (takesProcesses(Verb) ? didYouMeanProcess(Extra) : "");
  StringRef Name = Extra.split('=').first;
  const std::string Elsewhere = ofOtherVerb(Name);
  return "'" + Name.str() + "' is not an option of " + Verb.name() +
         (Elsewhere.empty() ? didYouMean(Name, Verb.longNames()) : Elsewhere);
}

/// `Class` is the class of CLI11's error. The texts are those of CLI/Error.hpp.
/// Other texts are shown unchanged.
std::string describe(const VerbSyntax &Verb, StringRef Class, StringRef Text) {
  auto [Name, Rest] = Text.split(": ");
  if (Name.starts_with("The following argument"))
    return describeExtra(Verb, Rest.split(' ').first);
  if (Text.consume_front("Could not convert: ")) {
    auto [Option, Given] = Text.split(" = ");
    const bool IsLarge = all_of(Given.ltrim('-'), isDigit);
    return (Option + " takes a " + (IsLarge ? "smaller " : "") +
            "number, not '" + Given + "'")
        .str();
  }
  if (Class == "ArgumentMismatch" && Rest.starts_with("At Most 1 "))
    return (Verb.name() + " takes one " + Name).str();
  if (StringRef Given = Text; Given.consume_front("--pid: -p"))
    return "-p" + Given.str();
  if (Class == "ArgumentMismatch" && Rest.ends_with(" missing"))
    return Name == "--pid" ? NoPid : (Name + " needs a value after it").str();
  if (Class == "ExcludesError") {
    auto [One, Other] = Text.split(" excludes ");
    return (One + " and " + Other + " cannot be given together").str();
  }
  return Text.str();
}

} // namespace

bool runsCommand(StringRef Verb) {
  return is_contained(
      {"record", "list", "count", "top", "hist", "trace", "run"}, Verb);
}

std::string whyNotOne(StringRef Name, ArrayRef<pid_t> Found) {
  if (Found.empty())
    return "-p takes a process's number, or the name of its program, and no "
           "process runs '" +
           Name.str() + "'";
  constexpr size_t Most = 3;
  std::vector<std::string> Options;
  for (pid_t One : Found.take_front(Most))
    Options.push_back("-p " + std::to_string(One));
  return "-p " + Name.str() +
         " is not clear: " + countText(Found.size(), "process", "processes") +
         " have this name; give one of them: " + join(Options, ", ") +
         (Found.size() > Most ? ", ..." : "");
}

std::string noneOf(StringRef Given, ArrayRef<std::string> Names) {
  return "'" + Given.str() + "' is none of " + join(Names, ", ");
}

/// The same for an option before the verb.
static std::string explainOption(const CommandLine &Line, StringRef Given) {
  const std::vector<std::string> Own = {"--help", "--version"};
  if (Given == "-h" || Given == "--" || is_contained(Own, Given))
    return "";
  StringRef Name = Given.split('=').first;
  std::string Fault = "'" + Name.str() + "' is not an option of tpctl";
  if (any_of(Line.verbs(), [&](auto &Verb) { return Verb->takes(Name); }))
    return withHint(Fault, "options of a verb come after it");
  return withHint(Fault + didYouMean(Name, Own),
                  "'tpctl --help' lists the verbs");
}

std::string explainVerb(const CommandLine &Line, StringRef First) {
  std::vector<std::string> Verbs;
  for (auto &Verb : Line.verbs())
    Verbs.push_back(Verb->name());
  if (is_contained(Verbs, First))
    return "";
  if (First.starts_with("-"))
    return explainOption(Line, First);
  return withHint("'" + First.str() + "' is not a verb" +
                      didYouMean(First, Verbs),
                  "'tpctl --help' lists the verbs");
}

std::string explainUsage(const VerbSyntax *Verb, StringRef Class,
                         StringRef Text) {
  return Verb ? withHint(describe(*Verb, Class, Text),
                         "see 'tpctl " + Verb->name() + " --help'")
              : "no verb is given; 'tpctl --help' lists the verbs";
}

std::string usageOf(const VerbSyntax &Verb, StringRef Program,
                    StringRef Usual) {
  // This verb accepts either a file, or a process and patterns.
  if (Verb.name() == "trace")
    return ("Usage: " + Program + " [OPTIONS] {FILE | [PATTERN...]" +
            subjectOf(Verb) + "}\n")
        .str();
  return Usual.rtrim().str() + subjectOf(Verb) + "\n";
}

std::string helpOfAll(const CommandLine &Line) {
  std::string Live, Files;
  for (auto &Verb : Line.verbs()) {
    std::string Name = Verb->name();
    Name.resize(12, ' ');
    (takesProcesses(*Verb) ? Live : Files) +=
        "  " + Name + Verb->description() + "\n";
  }
  return "Usage: tpctl VERB [OPTIONS] [PATTERN...] [FILE...] [-- COMMAND...]\n"
         "Processes (-p PID) or a command (-- COMMAND...):\n" +
         Live + "Recordings, which are files:\n" + Files +
         "\nPATTERN is a name with * and ?, module!name, @file.c, /regex/; "
         "!name excludes.\n"
         "tpctl VERB --help lists options, man tpctl-VERB explains them; "
         "--version.\n";
}

constexpr size_t ScreenLines = 24, ScreenColumns = 80;

static size_t linesOf(StringRef Text) { return Text.count('\n'); }

/// The beginning of the line that describes an option, as in "  -o,--option".
static size_t lineOf(StringRef Text, StringRef Option) {
  for (size_t At = 0; (At = Text.find(Option, At)) != StringRef::npos; ++At) {
    StringRef Before = Text.take_front(At), After = Text.substr(At);
    const size_t Begin = Before.rfind('\n') + 1; // 0 if there is none
    StringRef Indent = Before.substr(Begin);
    if (Indent.starts_with("  ") &&
        Indent.trim().find(' ') == StringRef::npos &&
        (Indent.ends_with(" ") || Indent.ends_with(",")) &&
        !isAlnum(After[Option.size()]) && After[Option.size()] != '-')
      return Begin;
  }
  return StringRef::npos;
}

/// "Also: --a --b: man tpctl-count, or --help | cat", on as many lines as it
/// needs.
static std::string alsoOf(ArrayRef<StringRef> Options, StringRef Verb) {
  std::string Text = "Also:";
  size_t Column = Text.size();
  auto add = [&](const Twine &Word) {
    std::string Next = Word.str();
    if (Column + 1 + Next.size() > ScreenColumns) {
      Text += "\n ";
      Column = 1;
    }
    Text += " " + Next;
    Column += 1 + Next.size();
  };
  for (StringRef One : Options.drop_back())
    add(One);
  add(Options.back() + ":");
  add("man tpctl-" + Verb + ",");
  add("or --help | cat");
  return Text + "\n";
}

/// The options that a help without room for all of them only names. The first
/// are the least used. A new option may be entered anywhere.
constexpr StringLiteral LessUsed[] = {
    "--binaries",   "--signals", "--learn",  "--strings", "--before",
    "--after",      "--around",  "--total",  "--lines",   "--compress",
    "--await",      "--heat",    "--budget", "--to",      "--dry-run",
    "--full-names", "--from",    "--traps",  "--size",    "--rate",
    "--children",   "--hits",    "--stop-if"};

/// Shortens the help of a verb, for a reader who has no more than a screen.
static std::string withoutLessUsed(StringRef Full, StringRef Verb) {
  std::string Text = Full.str(), Also;
  std::vector<StringRef> Named;
  for (StringRef Option : LessUsed) {
    if (linesOf(Text) + linesOf(Also) <= ScreenLines)
      break;
    const size_t At = lineOf(Text, Option);
    if (At == StringRef::npos)
      continue;
    Text.erase(At, Text.find('\n', At) + 1 - At);
    Named.push_back(Option);
    Also = alsoOf(Named, Verb);
  }
  return Text + Also;
}

std::string onScreen(StringRef Help, StringRef Verb) {
  std::string Text = Help.rtrim().str() + "\n";
  // A long help leaves out its least important parts.
  for (StringRef Less : {"\n\n", "  -h,--help", "Options:\n", "\n\n"}) {
    size_t At = Text.find(Less.str());
    if (linesOf(Text) > ScreenLines && At != std::string::npos)
      Text.erase(At, Text.find('\n', At) + 1 - At);
  }
  // The shells' completions and the references read all options through a pipe.
  return isatty(STDOUT_FILENO) ? withoutLessUsed(Text, Verb) : Text;
}

} // namespace tpctl
