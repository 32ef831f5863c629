// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Patterns.h.

#include "Patterns.h"
#include "names/match.h"
#include "shared/CommandLine.h"
#include "shared/Output.h"
#include "shared/UsageError.h"

#include "tprt/control_wire.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;

namespace tpctl {

void Patterns::addOptions(VerbSyntax &Verb) {
  Verb.addArguments("PATTERN", Given);
  addOthers(Verb);
}

void Patterns::addOthers(VerbSyntax &Verb) {
  Verb.addOption("-f,--patterns", Files, "FILE",
                 "a file with a pattern in each line");
  Verb.addFlag("--code", Code, "also functions without sleds; --sleds: none");
  Verb.addFlag("--sleds", SledsOnly, "only functions with sleds").unlisted();
  Verb.addFlag("--traps", Traps,
               "by breakpoints where no jump fits (x86-64; microseconds)");
}

void Patterns::addAwait(VerbSyntax &Verb) {
  Option Added =
      Verb.addFlag("--await", Await,
                   "patterns may match in libraries that are loaded later");
  // The help of trace has no line left. Its page and the error name it.
  if (Verb.name() == "trace")
    Added.unlisted();
}

bool Patterns::namesFunctions(StringRef Pattern) {
  const std::string Text = Pattern.str();
  if (Pattern.starts_with("@") || Pattern.starts_with("point:") ||
      namesProbe(Pattern))
    return false;
  StringRef Module, Name = Pattern;
  if (const char *Bang = tprt::splitAtModule(Text.c_str())) {
    Module = Pattern.take_front(static_cast<size_t>(Bang - Text.c_str()));
    Name = Pattern.drop_front(Module.size() + 1);
  }
  if (Name.starts_with("/") && Name.ends_with("/"))
    return false;
  if (!Module.trim("*?").empty())
    return true;
  // f(char*) and operator* are names.
  return Module.empty() &&
         (Name.contains("operator") ||
          Name.split('(').first.find_first_of("*?{") == StringRef::npos);
}

/// As libtprt reads patterns: f+12, f+*, 0x55d0, @file.c:120. And USDT probes.
bool Patterns::namesInstruction(StringRef Pattern) {
  auto isNumber = [](StringRef Text) {
    uint64_t Number;
    return !Text.starts_with("-") &&
           !Text.getAsInteger(Text.starts_with_insensitive("0x") ? 0 : 10,
                              Number);
  };
  if (namesProbe(Pattern))
    return true;
  if (Pattern.starts_with("@"))
    return isNumber(Pattern.rsplit(':').second);
  const std::string Text = Pattern.str();
  if (const char *Bang = tprt::splitAtModule(Text.c_str()))
    Pattern = Pattern.drop_front(static_cast<size_t>(Bang - Text.c_str()) + 1);
  if (Pattern.starts_with_insensitive("0x") && isNumber(Pattern))
    return true;
  auto [Function, Offset] = Pattern.rsplit('+');
  return !Function.empty() && Function != Pattern &&
         (Offset == "*" ? !Function.ends_with("operator") : isNumber(Offset));
}

void Patterns::takeCodeOf(const std::string &Pattern) {
  InCode.push_back(Pattern);
  if (InCode.size() < Positives.size())
    return;
  Code = true;
  InCode.clear();
}

void Patterns::takeCodeAs(const Patterns &Others) {
  Code = Others.Code;
  InCode.clear();
  for (const std::string &Pattern : Others.InCode)
    if (!Code && is_contained(Positives, Pattern))
      takeCodeOf(Pattern);
}

Error Patterns::add(StringRef Pattern) {
  StringRef Text = Pattern;
  bool Not = Text.consume_front("!");
  if (Text.size() + 2 > TPRT_CONTROL_MOST_PATTERN_BYTES || Text.empty())
    return wrongUsage("a pattern is empty or longer than 4,094 bytes");
  auto Probe = ProbePattern::parse(Text);
  if (!Probe)
    return Probe.takeError();
  if (*Probe) {
    (Not ? Negatives : Positives).push_back(Text.str());
    (Not ? NoProbes : Probes).push_back(std::move(**Probe));
    RegexTexts.push_back(Pattern.str());
    return Error::success();
  }
  auto Regex = RegexPattern::parse(Text);
  if (!Regex)
    return Regex.takeError();
  (Not ? Negatives : Positives).push_back(Text.str());
  if (!*Regex) {
    Globs.push_back(Pattern.str());
    return Error::success();
  }
  (Not ? Leaves : Takes).push_back(std::move(**Regex));
  RegexTexts.push_back(Pattern.str());
  return Error::success();
}

Patterns Patterns::only(std::string Pattern) const {
  Patterns One;
  One.Code = Code;
  One.Traps = Traps;
  One.give(std::move(Pattern));
  return One;
}

static bool takesSomething(ArrayRef<std::string> Patterns) {
  return any_of(Patterns, [](StringRef P) { return !P.starts_with("!"); });
}

Error Patterns::prepare(StringRef Program) {
  if (Code && SledsOnly)
    return wrongUsage("--code and --sleds cannot be given together");
  for (StringRef Pattern : Given)
    if (Error E = add(Pattern))
      return E;
  for (const std::string &Path : Files) {
    auto File = MemoryBuffer::getFile(Path, /*IsText=*/true);
    if (!File)
      return createStringError("cannot read '" + Path +
                               "': " + File.getError().message());
    SmallVector<StringRef> Lines;
    (*File)->getBuffer().split(Lines, '\n');
    for (StringRef Line : Lines)
      if (Line = Line.trim(); !Line.empty() && !Line.starts_with("#"))
        if (Error E = add(Line))
          return E;
  }
  if (!Files.empty() && Positives.empty() && Negatives.empty())
    return createStringError("'" + Files.front() + "' has no pattern");
  const auto Place = find_if(Positives, namesInstruction);
  if (SledsOnly && Place != Positives.end())
    return wrongUsage("'" + *Place +
                      "' selects single instructions, which have no sleds: "
                      "leave out --sleds");
  // The process takes instructions without --code, too; TPRT_OPTIONS does not.
  // USDT probes are asked for by their addresses.
  Code |= !Positives.empty() && all_of(Positives, [](StringRef Pattern) {
    return namesInstruction(Pattern) && !namesProbe(Pattern);
  });
  bool Any = hasProbes() || !Takes.empty() || takesSomething(Globs);
  if (!Any && Code)
    return wrongUsage(
        "--code needs a pattern, for example '" +
        (Program.empty() ? "app" : Program) +
        "!*' for all functions of the program: without one, tpctl would select "
        "every function of every library");
  TakesAll = !Any;
  if (!Any) {
    Globs.push_back("*");
    Positives.push_back("*");
  }
  return checkSize();
}

/// All globs have to fit into one request.
Error Patterns::checkSize() const {
  constexpr size_t Most = TPRT_CONTROL_MOST_BYTES - 1024;
  size_t Bytes = 0;
  for (const std::string &Glob : Globs)
    Bytes += Glob.size() + 1;
  if (Globs.size() > TPRT_CONTROL_MOST_PATTERNS)
    return wrongUsage("more than 256 patterns: combine some into one /regex/");
  if (Bytes > Most)
    return wrongUsage("the patterns have more than 64,512 bytes in "
                      "all: combine some into one /regex/");
  return Error::success();
}

std::vector<std::string> Patterns::names() const {
  std::vector<std::string> Names;
  size_t Left = TPRT_CONTROL_MOST_BYTES - 1024;
  for (const auto *List : {&RegexTexts, &Globs})
    for (const std::string &Text : *List) {
      if (Names.size() == TPRT_CONTROL_MOST_PATTERNS || Text.size() >= Left)
        return Names;
      Names.push_back(Text);
      Left -= Text.size() + 1;
    }
  return Names;
}

static bool anyMatches(ArrayRef<RegexPattern> Of, const LiveSite &S) {
  return any_of(Of, [&](const RegexPattern &R) { return R.matches(S); });
}
bool Patterns::takes(const LiveSite &S) const { return anyMatches(Takes, S); }
bool Patterns::leaves(const LiveSite &S) const { return anyMatches(Leaves, S); }

bool Patterns::takesProbe(StringRef Path, const usdt::Note &N) const {
  auto matches = [&](const ProbePattern &P) { return P.matches(Path, N); };
  return any_of(Probes, matches) && none_of(NoProbes, matches);
}

std::vector<std::string> Patterns::wider() const {
  std::vector<std::string> All;
  for (const RegexPattern &R : Takes)
    if (!is_contained(All, R.wider()))
      All.push_back(R.wider());
  if (is_contained(All, "*") || All.size() > TPRT_CONTROL_MOST_PATTERNS / 2)
    return {"*"};
  return All;
}

std::string Patterns::text() const {
  if (!Given.empty())
    return join(Given, " ");
  return Files.empty() ? "*" : join(Files, " ");
}

std::string Patterns::asArguments() const {
  std::string All;
  if (Code)
    All += "--code ";
  if (SledsOnly)
    All += "--sleds ";
  if (Traps)
    All += "--traps ";
  for (const std::string &Path : Files)
    All += "-f " + shellPath(Path) + " ";
  for (const std::string &Pattern : Given)
    All += shellWord(Pattern) + " ";
  return All;
}

} // namespace tpctl
