// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Timing.h.

#include "Timing.h"

#include "live/requests/Readings.h"
#include "live/targets/RefusedSites.h"
#include "shared/Output.h"
#include "tprt/tprt.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace tpctl {

const uint32_t Timing::Functions = TPRT_KIND_SET_ALL;

void CallTimes::add(const TimeRow &Row, double PerTick) {
  NanosecondsPerTick = PerTick;
  Calls += Row.Sums.calls;
  Cut += Row.Sums.cut;
  Open += Row.Sums.open;
  Unplaced += Row.Sums.unplaced;
  Total += static_cast<double>(Row.Sums.total) * PerTick;
  Self += static_cast<double>(Row.Sums.self) * PerTick;
  Longest = std::max(Longest, static_cast<double>(Row.Sums.longest) * PerTick);
  for (auto [Bucket, Count] : Row.Buckets)
    Buckets[Bucket] += Count;
}

void CallTimes::add(const CallTimes &Other) {
  NanosecondsPerTick = Other.NanosecondsPerTick;
  Calls += Other.Calls;
  Cut += Other.Cut;
  Open += Other.Open;
  Unplaced += Other.Unplaced;
  Total += Other.Total;
  Self += Other.Self;
  Longest = std::max(Longest, Other.Longest);
  for (auto [Bucket, Count] : Other.Buckets)
    Buckets[Bucket] += Count;
  Now = std::max(Now, Other.Now);
  Counted += Other.Counted;
  if (Other.CallsBefore)
    CallsBefore = CallsBefore.value_or(0) + *Other.CallsBefore;
}

CallTimes CallTimes::since(const CallTimes &Before) const {
  auto less = [](auto &Now, auto Then) { Now -= std::min(Now, Then); };
  CallTimes D = *this;
  less(D.Calls, Before.Calls);
  less(D.Counted, Before.Counted);
  less(D.Cut, Before.Cut);
  less(D.Unplaced, Before.Unplaced);
  less(D.Total, Before.Total);
  less(D.Self, Before.Self);
  for (auto [Bucket, Count] : Before.Buckets)
    if (auto At = D.Buckets.find(Bucket); At != D.Buckets.end()) {
      less(At->second, Count);
      if (!At->second)
        D.Buckets.erase(At);
    }
  if (Longest <= Before.Longest)
    D.Longest = D.Buckets.empty()
                    ? 0
                    : std::min(Longest, startOf(D.Buckets.rbegin()->first + 1));
  return D;
}

double CallTimes::average() const {
  if (!timed())
    return 0;
  if (!hasNested())
    return Total / static_cast<double>(timed());
  double Sum = 0, All = 0;
  for (auto [Bucket, Count] : Buckets) {
    auto N = static_cast<double>(Count);
    Sum += N * (startOf(Bucket) + startOf(Bucket + 1)) / 2;
    All += N;
  }
  return std::min(Sum / All, Longest);
}

/// All calls with a time are in the buckets. If their lower bounds add up to
/// more than `Total`, the times of some calls are missing from `Total`.
bool CallTimes::hasNested() const {
  double Least = 0;
  for (auto [Bucket, Count] : Buckets)
    Least += static_cast<double>(Count) * startOf(Bucket);
  constexpr double Rounding = 1.001;
  return Least > Total * Rounding;
}

double CallTimes::startOf(uint32_t Bucket) const {
  return static_cast<double>(tprt_control_bucket_start(Bucket)) *
         NanosecondsPerTick;
}

std::optional<double> CallTimes::quantile(double Share) const {
  uint64_t All = 0, Below = 0;
  for (auto [Bucket, Count] : Buckets)
    All += Count;
  double Wanted = Share * static_cast<double>(All);
  for (auto [Bucket, Count] : Buckets) {
    Below += Count;
    if (static_cast<double>(Below) >= Wanted)
      return std::min((startOf(Bucket) + startOf(Bucket + 1)) / 2, Longest);
  }
  return std::nullopt;
}

std::unique_ptr<Measurement::Process> Timing::make(Connection &C) {
  auto Of = std::make_unique<Timed>(C, P);
  if (By == TimesBy::Caller)
    Of->Code.emplace(C.pid());
  return Of;
}

uint32_t Timing::attachFlags() const {
  return By == TimesBy::Caller ? TPRT_CONTROL_PER_CALLER : 0;
}

void Timing::attached(Process &Of) {
  if (B.isOn())
    static_cast<Timed &>(Of).Limit.emplace(*Of.C, P, B, Of.Group, Level::Timed);
}

uint32_t Timing::detailOf(bool WithRows) const {
  uint32_t Detail = TPRT_CONTROL_DETAIL_CHANGED;
  if (By == TimesBy::Thread)
    Detail |= TPRT_CONTROL_DETAIL_THREADS;
  if (WithRows)
    Detail |= TPRT_CONTROL_DETAIL_HISTOGRAMS;
  if (WithRows && By == TimesBy::Caller)
    Detail |= TPRT_CONTROL_DETAIL_CALLERS;
  return Detail;
}

Expected<Times> Timing::ask(Timed &Of, bool WithRows) const {
  if (Of.Limit)
    Of.Limit->beginReading();
  return readTimes(*Of.C, Of.Group, detailOf(WithRows));
}

Error Timing::beginWindow(Process &Which) {
  auto &Of = static_cast<Timed &>(Which);
  auto Now = ask(Of, /*WithRows=*/true);
  if (!Now)
    return Now.takeError();
  take(Of, *Now, /*WithRows=*/true);
  Of.CallsNow = Of.CallsBefore = Of.Calls;
  Of.Begin = Of.Latest;
  if (Of.Limit)
    Of.Limit->begin(Of.Calls);
  return Error::success();
}

bool Timing::lacksNames() const {
  return any_of(Processes, [](const auto &Of) {
    return Of->C && timed(Of).Names.lacks();
  });
}

std::string Timing::keyOf(Timed &Of, const TimeRow &Row) const {
  switch (By) {
  case TimesBy::Nothing:
    return "";
  case TimesBy::Thread:
    return Row.Sums.thread ? "thread " + std::to_string(Row.Sums.thread)
                           : "several threads";
  case TimesBy::Caller:
    return Row.ReturnAddress ? Of.Code->callerAt(Row.ReturnAddress)
                             : "callers beyond the first 4,096 of a thread";
  case TimesBy::Process:
    return Of.Name;
  case TimesBy::Function:
  case TimesBy::Usual:
    return Of.Names.known(Row.Sums.site).readable();
  }
  llvm_unreachable("all are named");
}

/// Changed rows replace the earlier rows of the same functions. The process may
/// be killed at any time, so the names of callers are looked up immediately.
void Timing::take(Timed &Of, const Times &Now, bool WithRows) {
  std::map<uint32_t, std::vector<TimeRow>> Fresh;
  std::vector<uint32_t> Numbers;
  for (const TimeRow &Row : Now.Rows) {
    if (!hasNoTimes(Row)) {
      Fresh[Row.Sums.site].push_back(Row);
    } else if (Of.WithoutTimes.insert(Row.Sums.site).second) {
      Of.Names.want(Row.Sums.site);
    }
  }
  for (auto &[Number, Rows] : Fresh) {
    uint64_t &Calls = Of.Calls[Number], Cut = 0;
    Calls = 0;
    double Self = 0;
    for (const TimeRow &Row : Rows) {
      Calls += Row.Sums.calls;
      Cut += Row.Sums.cut;
      Self += static_cast<double>(Row.Sums.self) * Of.PerTick;
      if (WithRows && By == TimesBy::Caller && Row.ReturnAddress)
        Of.Code->callerAt(Row.ReturnAddress);
    }
    if (Calls > Cut)
      Of.SelfPerCall[Number] = Self / static_cast<double>(Calls - Cut);
    Numbers.push_back(Number);
    if (WithRows)
      Of.Rows[Number] = std::move(Rows);
  }
  if (isByFunction())
    Of.Names.want(Numbers);
  if (WithRows)
    Of.Latest = Of.C->timeOf(Now.Ticks);
}

Error Timing::limit(Timed &Of) {
  if (!Of.Limit)
    return Error::success();
  if (Error E = Of.Limit->look(Of.Calls, Of.SelfPerCall))
    return E;
  auto NameOf = [&](uint32_t Number) {
    consumeError(Of.Names.learnOne(*Of.C, Number).takeError());
    return Of.Names.known(Number).readable();
  };
  for (const std::string &Line :
       describeSteps(Of.Limit->takeSteps(), B, NameOf))
    Say ? Say(Line) : note(Line);
  return Error::success();
}

/// The functions that the budget has reduced. The threads and callers of calls
/// that were only counted are not known.
void Timing::addReduced(Timed &Of, std::map<std::string, CallTimes> &To) const {
  if (By == TimesBy::Thread || By == TimesBy::Caller)
    return;
  for (auto [Number, Less] : Of.Less) {
    if (!Of.Names.knows(Number))
      continue;
    TimeRow Only{};
    Only.Sums.site = Number;
    CallTimes &Row = To[keyOf(Of, Only)];
    Row.Now = std::max(Row.Now, Less.Now);
    Row.Counted += Less.Counted;
  }
}

Expected<bool> Timing::readProcess(Process &Which) {
  auto &Of = static_cast<Timed &>(Which);
  // So many rows are read in a few milliseconds. A limit of time would depend
  // on what else the machine does.
  constexpr size_t Few = 500;
  bool WithRows = isForTable() || !RowsForTables || ChangedBefore < Few;
  auto Now = ask(Of, WithRows);
  if (!Now)
    return Now.takeError();
  Changed += Now->Rows.size();
  if (Now->Ending && !std::exchange(WithRows, true)) {
    Now = ask(Of, WithRows);
    if (!Now)
      return Now.takeError();
  }
  take(Of, *Now, WithRows);
  if (Error E = limit(Of))
    return E;
  if (WithRows)
    keepCalls(Of, isForTable());
  Of.Missed = Now->Missed;
  Of.Untimed = Now->Untimed;
  Of.IsWhole = WithRows;
  return Now->Ending;
}

/// The interval of a table begins with the reading for the table before.
void Timing::beginInterval(Timed &Of, bool ForTable) {
  if (!Of.HasBegun)
    Of.CallsBefore = Of.CallsNow;
  Of.HasBegun = !ForTable;
}

/// Counted calls belong to the rows that were read at the same time.
void Timing::keepCalls(Timed &Of, bool ForTable) {
  if (Of.Limit)
    Of.Less = Of.Limit->reduced();
  beginInterval(Of, ForTable);
  Of.CallsNow = Of.Calls;
  for (auto [Number, Less] : Of.Less)
    Of.CallsNow[Number] += Less.Counted;
}

void Timing::ended(Process &Of) { static_cast<Timed &>(Of).Limit.reset(); }

void Timing::haveRead() {
  ChangedBefore = std::exchange(Changed, 0);
  for (auto &Of : Processes)
    if (!Of->C && isForTable())
      beginInterval(timed(Of), /*ForTable=*/true);
}

/// An ending process waits until its last values are read. Reading many
/// functions delays the process.
Timing::Clock::time_point Timing::nextReading(Clock::time_point Looked,
                                              Clock::duration Took) const {
  using namespace std::chrono_literals;
  auto Next = Looked + pauseAfter(Took, 100ms);
  for (const auto &Of : Processes)
    if (const auto &Limit = timed(Of).Limit)
      Next = std::min(Next, Limit->next(Took));
  return Next;
}

std::map<std::string, CallTimes> Timing::rows() const {
  std::map<std::string, CallTimes> Sum;
  for (const auto &Which : Processes) {
    Timed &Of = timed(Which);
    for (const auto &[Number, Rows] : Of.Rows) {
      if (!Of.Names.knows(Number))
        continue;
      for (const TimeRow &Row : Rows)
        if (Row.Sums.calls || Row.Sums.open)
          Sum[keyOf(Of, Row)].add(Row, Of.PerTick);
      auto Before = Of.CallsBefore.find(Number);
      if (Rows.empty() || Before == Of.CallsBefore.end())
        continue;
      CallTimes &Times = Sum[keyOf(Of, Rows.front())];
      Times.CallsBefore = Times.CallsBefore.value_or(0) + Before->second;
    }
    addReduced(Of, Sum);
  }
  if (By == TimesBy::Usual && !selectsSeveral() && Sum.size() == 1) {
    auto Only = Sum.extract(Sum.begin());
    Only.key().clear();
    Sum.insert(std::move(Only));
  }
  return Sum;
}

void Timing::explain() {
  const auto [Sites, Missed, Matched, Why] = sums();
  uint64_t Calls = 0, Untimed = 0, Left = 0;
  std::set<std::string> WithoutTimes;
  for (const auto &Which : Processes) {
    Timed &Of = timed(Which);
    Untimed += Of.Untimed;
    for (const auto &[Number, OfFunction] : Of.Calls)
      Calls += OfFunction;
    for (const auto &[Number, Rows] : Of.Rows)
      for (const TimeRow &Row : Rows)
        Left += Row.Sums.cut;
    for (uint32_t Number : Of.WithoutTimes)
      if (Of.Names.knows(Number))
        WithoutTimes.insert(Of.Names.known(Number).readable());
  }
  // The process itself attaches to sites in libraries that it loads later.
  // Those sites have no number here.
  if (!Sites && !Calls && Matched)
    note("no call is timed, because all matching sites were refused");
  else if (!Sites && !Calls) {
    const std::string Text =
        "no function matches " + P.text() + (Why.empty() ? "" : ": " + Why);
    Processes.empty() ? note(Text) : At.tellNothing(P, Text);
    At.tellOthers();
  } else if (!Calls && WithoutTimes.empty())
    note(countText(Sites, "site") +
         " watched, but no call began and ended during that time");
  if (!WithoutTimes.empty())
    note(describeUntimed(WithoutTimes, P));
  if (Left)
    note(describeLeft(Left));
  if (Missed)
    note(countText(Missed, "hit") +
         " missed: libtprt was busy with another hit of the same thread, as "
         "when a signal handler interrupts it, or the thread got no memory; "
         "the missed calls have no times, but 'tpctl count' counts such calls");
  if (Untimed)
    note(countText(Untimed, "call") +
         " not timed: more than 4,096 were open in a thread");
}

} // namespace tpctl
