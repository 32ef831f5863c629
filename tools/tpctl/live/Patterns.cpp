// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Patterns.h.

#include "Patterns.h"

#include "tprt/control_wire.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include <CLI/CLI.hpp>

using namespace llvm;

namespace tpctl {

void Patterns::addOptions(CLI::App &Verb) {
  Verb.add_option("PATTERN", Given,
                  "globs; /regex/; module!glob; @file.c; point:glob;\n"
                  "!PATTERN: not these; everything if not given")
      ->type_name("");
  Verb.add_option("-f,--patterns", Files, "a file with a pattern in each line")
      ->allow_extra_args(false)
      ->option_text("FILE");
  Verb.add_flag("--code", Code, "also functions without sleds");
  Verb.add_flag("--traps", Traps,
                "by breakpoints where no jump fits (x86-64; microseconds)");
}

static bool isRegex(StringRef Text) {
  return Text.size() >= 3 && Text.starts_with("/") && Text.ends_with("/");
}

Error Patterns::add(StringRef Pattern) {
  StringRef Text = Pattern;
  bool Not = Text.consume_front("!");
  if (Text.size() + 2 > TPRT_CONTROL_MOST_PATTERN_BYTES || Text.empty())
    return createStringError("a pattern is empty or longer than 4,094 bytes");
  if (!isRegex(Text)) {
    Globs.push_back(Pattern.str());
    return Error::success();
  }
  Regex Compiled(Text.drop_front().drop_back());
  std::string Fault;
  if (!Compiled.isValid(Fault))
    return createStringError(Text + ": " + Fault);
  (Not ? Leaves : Takes).push_back(std::move(Compiled));
  return Error::success();
}

Patterns Patterns::only(std::string Pattern) const {
  Patterns One;
  One.Code = Code;
  One.Traps = Traps;
  One.give(std::move(Pattern));
  return One;
}

Error refuseRegexes(ArrayRef<std::string> Patterns) {
  for (StringRef Pattern : Patterns) {
    StringRef Text = Pattern;
    Text.consume_front("!");
    if (isRegex(Text))
      return createStringError(Text +
                               ": what is recorded is chosen by globs, "
                               "not by regular expressions: give globs, "
                               "or names that tpctl list '" +
                               Text + "' shows");
  }
  return Error::success();
}

static bool takesSomething(ArrayRef<std::string> Patterns) {
  return any_of(Patterns, [](StringRef P) { return !P.starts_with("!"); });
}

Error checkCodePatterns(ArrayRef<std::string> Patterns) {
  if (takesSomething(Patterns))
    return Error::success();
  return createStringError("--code needs a pattern, for example "
                           "'libc.so*!malloc': without one it would take "
                           "every function of every library");
}

Error Patterns::prepare() {
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
  if (!Files.empty() && Globs.empty() && Takes.empty() && Leaves.empty())
    return createStringError("'" + Files.front() + "' has no pattern");
  bool Any = !Takes.empty() || takesSomething(Globs);
  if (!Any && Code)
    return checkCodePatterns(Globs);
  if (!Any)
    Globs.push_back("*");
  if (Globs.size() > TPRT_CONTROL_MOST_PATTERNS)
    return createStringError("more than 256 patterns: join some to a /regex/");
  return Error::success();
}

static bool anyMatches(ArrayRef<Regex> Of, StringRef Name) {
  return any_of(Of, [&](const Regex &R) { return R.match(Name); });
}
bool Patterns::takes(StringRef Name) const { return anyMatches(Takes, Name); }
bool Patterns::leaves(StringRef Name) const { return anyMatches(Leaves, Name); }

std::string Patterns::text() const {
  if (!Given.empty())
    return join(Given, " ");
  return Files.empty() ? "*" : join(Files, " ");
}

} // namespace tpctl
