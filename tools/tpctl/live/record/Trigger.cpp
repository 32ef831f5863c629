// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Trigger.h.

#include "Trigger.h"

#include "live/requests/Readings.h"
#include "shared/Selection.h"
#include "shared/UsageError.h"
#include "shared/Verb.h"
#include "tprt/tprt.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace tp::trace;

namespace tpctl {

Expected<std::unique_ptr<Trigger>> Trigger::parse(StringRef Text) {
  // Names may contain a ">".
  auto [Left, Right] = Text.rsplit('>');
  Left = Left.rtrim();
  Right = Right.trim();
  double Least = 0;
  bool Compares = !Right.empty() && isDigit(Right.front());
  if (Compares) {
    auto Value = parseDuration(Right);
    if (!Value)
      return Value.takeError();
    Least = *Value;
  }
  StringRef Pattern = Compares ? Left : Text.trim();
  // A name may end in "> >".
  bool LacksTime =
      Right.empty() && Pattern.ends_with(" >") && !Left.ends_with(">");
  if (LacksTime || Pattern.empty() || Pattern.starts_with("!") ||
      (Compares && Least <= 0))
    return wrongUsage("--when '" + Text +
                      "' is not a condition: write it as in 'f > 50ms', "
                      "or 'f', or 'point:p'");
  return std::unique_ptr<Trigger>(new Trigger(Pattern.str(), Least));
}

Error Trigger::attach(Connection &C, const Patterns &Like) {
  Chosen = Like.only(Pattern);
  if (Error E = Chosen.prepare())
    return E;
  bool Times = LeastNs > 0;
  uint32_t Kinds = Times ? uint32_t{TPRT_KIND_SET_ALL}
                         : TPRT_KIND_SET_ENTRY | TPRT_KIND_SET_POINT;
  Sites.emplace(Chosen, Kinds);
  NanosecondsPerTick = C.nanosecondsPerTick();
  On.emplace(C, Chosen, Kinds,
             Times ? TPRT_CONTROL_ACTION_TIME : TPRT_CONTROL_ACTION_COUNT);
  auto Done = On->attach(/*Flags=*/0);
  if (!Done)
    return Done.takeError();
  Group = Done->Group;
  if (Error E = nameAll(C))
    return E;
  if (!Done->Enabled)
    tpctl::note("nothing of " + C.name() + " matches " + Pattern +
                " so far; libraries that are loaded later are searched as "
                "well");
  return Error::success();
}

/// The process may end before its counts are first read.
Error Trigger::nameAll(Connection &C) {
  auto Found = listSites(C, Chosen, TPRT_KIND_SET_ENTRY | TPRT_KIND_SET_POINT);
  if (!Found)
    return Found.takeError();
  for (const LiveSite &S : *Found)
    Names.insert(S.Name);
  return Error::success();
}

Error Trigger::note(Connection &C, uint32_t Site) {
  auto Of = Sites->find(C, Site);
  if (!Of)
    return Of.takeError();
  Names.insert((*Of)->Name);
  return Error::success();
}

/// The calls in buckets that reach beyond the time. Some of them may be a
/// little shorter than the time.
Expected<uint64_t> Trigger::countSlow(Connection &C) {
  auto Now = readTimes(C, Group, TPRT_CONTROL_DETAIL_HISTOGRAMS);
  if (!Now)
    return Now.takeError();
  double LeastTicks = LeastNs / NanosecondsPerTick;
  uint64_t Slow = 0;
  for (const TimeRow &Row : Now->Rows) {
    if (hasNoTimes(Row)) {
      auto Of = Sites->find(C, Row.Sums.site);
      if (!Of)
        return Of.takeError();
      Untimed.insert((*Of)->readable());
      continue;
    }
    Timed |= Row.Sums.calls != 0;
    uint64_t OfRow = 0;
    for (auto [Bucket, Count] : Row.Buckets)
      if (static_cast<double>(tprt_control_bucket_start(Bucket + 1)) >=
          LeastTicks)
        OfRow += Count;
    if (static_cast<double>(Row.Sums.longest) >= LeastTicks)
      OfRow += Row.Sums.unplaced;
    Slow += OfRow;
    if (OfRow)
      if (Error E = note(C, Row.Sums.site))
        return E;
  }
  return Slow;
}

Expected<uint64_t> Trigger::countHits(Connection &C) {
  auto Now = readCounts(C, Group);
  if (!Now)
    return Now.takeError();
  uint64_t Hits = 0;
  for (const tprt_control_count &Row : Now->Rows) {
    Hits += Row.count;
    if (Error E = note(C, Row.site))
      return E;
  }
  return Hits;
}

Expected<bool> Trigger::mayHold(Connection &C) {
  if (auto Later = On->attachLater(); !Later)
    return Later.takeError();
  auto Now = LeastNs > 0 ? countSlow(C) : countHits(C);
  if (!Now)
    return Now.takeError();
  return *Now > std::exchange(Seen, *Now);
}

/// Whether a call has ended, and its duration is known.
static bool isEnd(const Moment &M) {
  return M.What == Moment::Whole ||
         (M.What == Moment::Exit && M.How != Ending::Unfinished);
}

bool Trigger::isMet(Recording &R, const Moment &M, std::string &Name) const {
  if (M.What == Moment::Extension) {
    if (LeastNs > 0 || !isExtension(M.Word, TPRT_TRACE_POINT) ||
        M.Words.empty())
      return false;
    const Point *P = R.tables().point(static_cast<uint32_t>(M.Words.front()));
    Name = P ? P->Name : std::string();
    return Names.count(Name);
  }
  bool Fits = LeastNs > 0
                  ? isEnd(M) && static_cast<double>(M.Time - M.Start) *
                                        NanosecondsPerTick >=
                                    LeastNs
                  : M.What == Moment::Entry || M.What == Moment::Visit ||
                        M.What == Moment::Whole;
  if (!Fits || M.Function == NoFunction)
    return false;
  const Function &F = R.tables().function(M.Function);
  Name = F.Name;
  return Names.count(F.Linked);
}

/// Keeps whether the calls of the condition's functions have times.
void Trigger::noteTime(Recording &R, const Moment &M) {
  if (LeastNs == 0 || M.Function == NoFunction ||
      (M.What != Moment::Visit && M.What != Moment::Exit &&
       M.What != Moment::Whole))
    return;
  const Function &F = R.tables().function(M.Function);
  if (!Names.count(F.Linked))
    return;
  if (M.What == Moment::Visit)
    Untimed.insert(F.Name);
  else
    Timed = true;
}

Expected<std::optional<Trigger::Event>> Trigger::find(Recording &R) {
  std::optional<Event> First;
  uint64_t Latest = LastTime;
  auto Sum =
      readTimeline(R, CallFilter(), [&](const ThreadInfo &T, const Moment &M) {
        std::string Name;
        if (M.Time <= LastTime)
          return true;
        noteTime(R, M);
        if (!isMet(R, M, Name))
          return true;
        Latest = std::max(Latest, M.Time);
        bool Call = M.What == Moment::Exit || M.What == Moment::Whole;
        if (!First)
          First = {Name, T.Tid, Call ? M.Start : M.Time,
                   Call ? static_cast<double>(M.Time - M.Start) *
                              NanosecondsPerTick
                        : 0};
        return true;
      });
  if (!Sum)
    return Sum.takeError();
  LastTime = Latest;
  return First;
}

} // namespace tpctl
