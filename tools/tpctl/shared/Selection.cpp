// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Selection.h.

#include "Selection.h"

#include "CommandLine.h"
#include "Cuts.h"
#include "Output.h"
#include "UsageError.h"
#include "tprt/names.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace tp::trace;

namespace tpctl {

Expected<double> parseDuration(StringRef Text) {
  size_t End = Text.find_first_not_of("0123456789.");
  StringRef Unit = Text.substr(std::min(End, Text.size()));
  double Factor = StringSwitch<double>(Unit)
                      .Case("ns", 1)
                      .Cases({"us", "\u00b5s"}, 1e3)
                      .Case("ms", 1e6)
                      .Case("s", 1e9)
                      .Case("min", 60e9)
                      .Case("h", 3600e9)
                      .Default(0);
  double Value;
  bool IsNumber = !Text.take_front(End).getAsDouble(Value);
  if (IsNumber && Unit.empty() && Value == 0)
    return 0;
  if (!IsNumber || Factor == 0)
    return wrongUsage(
        "'" + Text + "' " +
        (IsNumber && Unit.empty() ? "has no unit" : "is not a duration") +
        ": write it as in 5us, 1.5ms, 2s, 3min");
  return Value * Factor;
}

std::string durationText(double Nanoseconds, StringRef Gap) {
  constexpr std::pair<double, const char *> Units[] = {
      {1e9, "s"}, {1e6, "ms"}, {1e3, "us"}, {1, "ns"}};
  auto *Unit = find_if(
      Units, [&](auto &U) { return Nanoseconds >= U.first || U.first == 1; });
  char Text[64];
  snprintf(Text, sizeof Text, "%.9g", Nanoseconds / Unit->first);
  return (Text + Gap + Unit->second).str();
}

Expected<std::string> newestRecording() {
  std::string Newest;
  sys::TimePoint<> Latest;
  std::error_code Code;
  for (sys::fs::directory_iterator At(".", Code), End; !Code && At != End;
       At.increment(Code)) {
    StringRef Name = sys::path::filename(At->path());
    sys::fs::file_status Status;
    if (!Name.ends_with(".tp") || sys::fs::status(Name, Status) ||
        Status.type() != sys::fs::file_type::regular_file)
      continue;
    auto Time = Status.getLastModificationTime();
    if (Newest.empty() ||
        std::pair(Time, Name) > std::pair(Latest, StringRef(Newest))) {
      Newest = Name.str();
      Latest = Time;
    }
  }
  if (Newest.empty())
    return wrongUsage("no FILE is given, and this folder has no recording "
                      "whose name ends with .tp");
  note("no FILE is given: '" + Newest + "' is the newest recording here");
  return Newest;
}

void Selection::addFiles(VerbSyntax &Verb, bool Several) {
  TakesNewest = true;
  Option All = Verb.addArguments("FILE", Files);
  if (!Several)
    All.takesOne();
}

void Selection::addCuts(VerbSyntax &Verb) {
  Verb.addOption("-F,--function", Globs, "GLOB",
                 "functions whose names match a glob; !GLOB excludes");
  Verb.addOption("--thread", Tids, "TID", "only this thread; repeatable");
  Option FromOption =
      Verb.addOption("--from", From, "TIME",
                     "only calls that begin this long after the start");
  Option ToOption =
      Verb.addOption("--to", To, "TIME", "only calls that begin before this");
  Option LastOption = Verb.addOption("--last", Last, "TIME",
                                     "only calls that begin in the last TIME")
                          .excludes(FromOption)
                          .excludes(ToOption);
  Verb.addOption("--around", Around, "WHERE",
                 "only near TIME or mark:N; 2s,5ms: 5ms around, else 10ms")
      .excludes(FromOption)
      .excludes(ToOption)
      .excludes(LastOption);
}

void Selection::addLeastDuration(VerbSyntax &Verb) {
  Verb.addOption("--min", Min, "TIME",
                 "only calls that took at least this long, as in 5us");
}

void Selection::addDurations(VerbSyntax &Verb) {
  addLeastDuration(Verb);
  Verb.addOption("--max", Max, "TIME",
                 "only calls that took at most this long");
}

void Selection::addNames(VerbSyntax &Verb) {
  Verb.addFlag("--full-names", FullNames, "whole names, not cut at 60 columns");
}

std::string shortName(StringRef Name) {
  constexpr size_t Width = 60;
  std::string Text = Name.str();
  tprt_name_shorten(Text.data(), Width); // makes no name longer
  return Text.c_str();
}

std::string Selection::shown(StringRef Name) const {
  return FullNames ? Name.str() : shortName(Name);
}

Error Selection::prepare() {
  for (StringRef Text : Globs) {
    bool Not = Text.consume_front("!");
    auto Glob = NameGlob::create(Text);
    if (!Glob)
      return wrongUsage("-F " + Text + ": " + toString(Glob.takeError()));
    (Not ? Unwanted : Wanted).push_back({std::move(*Glob)});
  }
  if (!TakesNewest || !Files.empty())
    return Error::success();
  auto Newest = newestRecording();
  if (Newest)
    Files.push_back(std::move(*Newest));
  return Newest.takeError();
}

NameMatch matchOf(const NameGlob &Glob, StringRef Linked, StringRef Name,
                  StringRef Where) {
  NameMatch Match = Glob.match(Linked, Name);
  return Where.empty()
             ? Match
             : std::max(Match, Glob.match("", (Name + whereText(Where)).str()));
}

NameMatch Selection::match(const NameChoice &C, const Function &F) const {
  auto Where = Found->Where.find(&F);
  return matchOf(C.Glob, F.Linked, F.Name,
                 Where == Found->Where.end() ? StringRef() : Where->second);
}

Error Selection::learnNames(ArrayRef<std::string> Files) const {
  if (Files.size() < 2 || !hasGlobs())
    return Error::success();
  for (const std::string &Path : Files) {
    auto R = Code.open(Path);
    if (!R)
      return R.takeError();
    learnNames(**R);
  }
  return Error::success();
}

void Selection::learnNames(Recording &R) const {
  if (!hasGlobs())
    return;
  std::lock_guard<std::mutex> Lock(Found->Mutex);
  Found->Taken.clear();
  Found->Where.clear();
  for (auto &[Id, Where] : Code.tellApart(R))
    Found->Where[&R.tables().function(Id)] = Where;
  for (auto *List : {&Wanted, &Unwanted})
    for (NameChoice &C : *List)
      for (FunctionId I = 0; I != R.tables().functionCount() && !C.Whole; ++I)
        C.Whole = match(C, R.tables().function(I)) == NameMatch::Whole;
}

bool Selection::takes(const Function &F) const {
  if (Wanted.empty() && Unwanted.empty())
    return true;
  std::lock_guard<std::mutex> Lock(Found->Mutex);
  auto [At, New] = Found->Taken.try_emplace(&F, false);
  if (New) {
    auto matches = [&](const NameChoice &C) {
      NameMatch Match = this->match(C, F);
      return Match == NameMatch::Whole ||
             (Match != NameMatch::None && !C.Whole);
    };
    At->second = (Wanted.empty() || any_of(Wanted, matches)) &&
                 none_of(Unwanted, matches);
  }
  return At->second;
}

Expected<double> Selection::leastDuration() const {
  return Min.empty() ? 0 : parseDuration(Min);
}

bool Selection::cutsTime() const {
  return !From.empty() || !To.empty() || !Last.empty() || !Around.empty();
}

bool Selection::cuts() const {
  return cutsTime() || !Min.empty() || !Max.empty() || !Tids.empty();
}

Error Selection::cutLast(Recording &R, CallFilter &F) const {
  auto Span = parseDuration(Last);
  if (!Span)
    return Span.takeError();
  auto End = endOf(R);
  if (!End)
    return End.takeError();
  F.From = *End - std::min(*End, R.clock().ticksOf(*Span));
  return Error::success();
}

Error Selection::cutAround(Recording &R, CallFilter &F) const {
  auto [Where, SpanText] = StringRef(Around).split(',');
  auto Span = parseDuration(SpanText.empty() ? "10ms" : SpanText);
  if (!Span)
    return Span.takeError();
  uint64_t Middle, Number;
  if (StringRef Text = Where; Text.consume_front("mark:")) {
    if (Text.getAsInteger(0, Number))
      return wrongUsage("--around " + Where + ": '" + Text +
                        "' is not the number of a mark");
    auto Found = findMark(R, Number);
    if (!Found)
      return Found.takeError();
    if (Found->Matches != 1)
      note(R.file().path() + ": " + Where + " is there " +
           Twine(Found->Matches) + " times" +
           (Found->Matches ? ": the first is used"
            : Found->Marks ? ", but for example mark:" + Twine(Found->Example)
                           : Twine(", as there are no marks")));
    if (!Found->Matches) {
      F.From = F.To = UINT64_MAX;
      return Error::success();
    }
    Middle = Found->Time;
  } else {
    auto Time = parseDuration(Where);
    if (!Time)
      return Time.takeError();
    Middle = R.header().start.counter + R.clock().ticksOf(*Time);
  }
  uint64_t Ticks = R.clock().ticksOf(*Span);
  F.From = Middle - std::min(Middle, Ticks);
  F.To = Middle + std::min(UINT64_MAX - Middle, Ticks);
  return Error::success();
}

Expected<CallFilter> Selection::filterFor(Recording &R) const {
  learnNames(R);
  CallFilter F;
  const tp::trace::Clock &C = R.clock();
  uint64_t Start = R.header().start.counter;
  auto set = [&](const std::string &Text, uint64_t Base,
                 uint64_t &To) -> Error {
    if (Text.empty())
      return Error::success();
    auto Value = parseDuration(Text);
    if (!Value)
      return Value.takeError();
    To = Base + C.ticksOf(*Value);
    return Error::success();
  };
  F.Tids.insert(Tids.begin(), Tids.end());
  Error E = set(Min, 0, F.MinTicks);
  if (!E)
    E = set(Max, 0, F.MaxTicks);
  if (!E)
    E = set(From, Start, F.From);
  if (!E)
    E = set(To, Start, F.To);
  if (!E && !Last.empty())
    E = cutLast(R, F);
  if (!E && !Around.empty())
    E = cutAround(R, F);
  if (E)
    return E;
  return F;
}

std::string Selection::explainNothing(Recording &R, uint64_t Events,
                                      uint64_t Lost) const {
  StringRef Path = R.file().path();
  Tables &Names = R.tables();
  if (!Events && !Lost && !cuts())
    Lost = R.header().lost; // of threads that had no block
  if (!Events && Lost)
    return ((Lost == 1 ? "the only event" : "all " + Twine(Lost) + " events") +
            " of '" + Path + "' " + (Lost == 1 ? "was" : "were") +
            " lost: record fewer functions, or use a larger --size")
        .str();
  if (!Events && R.findings().isCut())
    return ("no event could be read from '" + Path +
            "', because the file is cut off")
        .str();
  if (!Events && cuts())
    return ("no event of '" + Path + "' is of the given thread and time").str();
  if (!Events && !Names.describedCount())
    return ("'" + Path +
            "' has neither functions nor events: no function was chosen for "
            "recording, or the program has no table of sleds")
        .str();
  if (!Events)
    return ("'" + Path + "' has no events: " +
            (Names.describedCount() == 1
                 ? Twine("its only function was not called")
                 : "none of its " + Twine(Names.describedCount()) +
                       " functions was called"))
        .str();
  if (hasGlobs()) {
    for (FunctionId I = 0; I != Names.functionCount(); ++I)
      if (takes(Names.function(I)))
        return "the functions that match were not called, or all of their "
               "calls were filtered away";
    std::string Example =
        Names.functionCount() ? Names.function(0).Name : std::string();
    return ("no function of '" + Path + "' matches; there " +
            (Names.functionCount() == 1 ? "is " : "are ") +
            Twine(Names.functionCount()) + ", for example " + Example)
        .str();
  }
  if (cuts())
    return ("all calls of '" + Path + "' were filtered away").str();
  return ("'" + Path + "' has " + countText(Events, "event") + ", but no calls")
      .str();
}

void tellFindings(Recording &R) {
  for (const std::string &Sentence : R.findings().sentences())
    note(R.file().path() + ": " + Sentence);
  for (const std::string &Text : R.tables().notes())
    note(R.file().path() + ": " + Text);
  if (!R.clock().known())
    note(R.file().path() +
         ": the counter's rate is not known; all times are ticks");
}

} // namespace tpctl
