// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Timing.h.

#include "Timing.h"

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
  if (!Calls)
    return 0;
  if (!hasNested())
    return Total / static_cast<double>(Calls);
  double Sum = 0, All = 0;
  for (auto [Bucket, Count] : Buckets) {
    auto N = static_cast<double>(Count);
    Sum += N * (startOf(Bucket) + startOf(Bucket + 1)) / 2;
    All += N;
  }
  return std::min(Sum / All, Longest);
}

/// All calls are in the buckets. If their lower bounds add up to more than
/// `Total`, the times of some calls are missing from `Total`.
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

Error Timing::attachTo(Connection &C) {
  auto Of = std::make_unique<Process>(C, P);
  Of->Read = Target::Clock::now(); // nothing is attached before this time
  auto Done =
      Of->On.attach(By == TimesBy::Caller ? TPRT_CONTROL_PER_CALLER : 0);
  if (!Done)
    return Done.takeError();
  if (Done->Matched)
    At.tellRefused(C, P, *Done);
  if (By == TimesBy::Usual && Done->Matched && !Several) {
    auto Now = Of->On.selectsSeveral();
    if (!Now)
      return Now.takeError();
    Several = *Now;
  }
  bool Waits = !Done->Matched && !At.hasCommand();
  if (Waits)
    note(nothingYet(C, P, Done->Why));
  Sites += Done->Enabled;
  Matched |= Done->Matched != 0;
  if (!Done->Why.empty() && !Waits) // explain() does not repeat it
    Why = Done->Why; // if there are several programs, the last one is meant
  Of->C = &C;
  Of->Name = C.name();
  Of->PerTick = C.nanosecondsPerTick();
  Of->Group = Done->Group;
  if (By == TimesBy::Caller)
    Of->Code.emplace(C.pid());
  if (B.isOn())
    Of->Limit.emplace(C, P, B, Done->Group, Level::Timed);
  Processes.push_back(std::move(Of));
  return Error::success();
}

Error Timing::attach() {
  for (auto &C : At.Connections)
    if (Error E = attachTo(*C))
      return E;
  // The next reading drops a process that has ended already, and reports one
  // that is stopped.
  for (auto &Of : Processes)
    if (Error E = handleErrors(
            begin(*Of), [](const ProcessEnded &) {},
            [](const ProcessStopped &) {}))
      return E;
  return Error::success();
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

/// While sites are turned on, some functions are timed and others are not yet.
/// So only the calls after this moment are in the rows.
Error Timing::begin(Process &Of) {
  if (Of.Limit)
    Of.Limit->beginReading();
  auto Now = readTimes(*Of.C, Of.Group, detailOf(/*WithRows=*/true));
  if (!Now)
    return Now.takeError();
  take(Of, *Now, /*WithRows=*/true);
  Of.CallsNow = Of.CallsBefore = Of.Calls;
  Of.Begin = Of.Latest;
  if (Of.Limit)
    Of.Limit->begin(Of.Calls);
  return Error::success();
}

Error Timing::learnNames(Target::Clock::time_point Until) {
  for (auto &Of : Processes)
    if (Of->C)
      if (Error E = At.learnNames(*Of->C, Of->Names, Until))
        return E;
  return Error::success();
}

double Timing::seconds() const {
  double First = 0, Last = 0;
  for (const auto &Of : Processes) {
    bool IsFirst = Of == Processes.front();
    First = IsFirst ? Of->Begin : std::min(First, Of->Begin);
    Last = IsFirst ? Of->Latest : std::max(Last, Of->Latest);
  }
  return std::max(Last - First, 0.0) / 1e9;
}

std::string Timing::keyOf(Process &Of, const TimeRow &Row) const {
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
void Timing::take(Process &Of, const Times &Now, bool WithRows) {
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
    uint64_t &Calls = Of.Calls[Number];
    Calls = 0;
    double Self = 0;
    for (const TimeRow &Row : Rows) {
      Calls += Row.Sums.calls;
      Self += static_cast<double>(Row.Sums.self) * Of.PerTick;
      if (WithRows && By == TimesBy::Caller && Row.ReturnAddress)
        Of.Code->callerAt(Row.ReturnAddress);
    }
    if (Calls)
      Of.SelfPerCall[Number] = Self / static_cast<double>(Calls);
    Numbers.push_back(Number);
    if (WithRows)
      Of.Rows[Number] = std::move(Rows);
  }
  if (isByFunction())
    Of.Names.want(Numbers);
  if (WithRows)
    Of.Latest = Of.C->timeOf(Now.Ticks);
}

Error Timing::limit(Process &Of) {
  if (!Of.Limit)
    return Error::success();
  if (Error E = Of.Limit->look(Of.Calls, Of.SelfPerCall))
    return E;
  auto NameOf = [&](uint32_t Number) {
    consumeError(Of.Names.learnOne(*Of.C, Number).takeError());
    return Of.Names.known(Number).readable();
  };
  append_range(Of.News, describeSteps(Of.Limit->takeSteps(), B, NameOf));
  return Error::success();
}

/// The functions that the budget has reduced. The threads and callers of calls
/// that were only counted are not known.
void Timing::addReduced(Process &Of,
                        std::map<std::string, CallTimes> &To) const {
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

Error Timing::readOne(Process &Of, bool WithRows, bool ForTable) {
  if (Error E = At.checkRuns(*Of.C))
    return E;
  auto Later = Of.On.attachLater();
  if (!Later)
    return Later.takeError();
  Sites += *Later;
  auto Asked = Target::Clock::now();
  if (Of.Limit)
    Of.Limit->beginReading();
  auto Now = readTimes(*Of.C, Of.Group, detailOf(WithRows));
  if (!Now)
    return Now.takeError();
  Changed += Now->Rows.size();
  if (Now->Ending && !WithRows)
    return readOne(Of, /*WithRows=*/true, /*ForTable=*/false);
  take(Of, *Now, WithRows);
  if (Error E = limit(Of))
    return E;
  if (WithRows)
    keepCalls(Of, ForTable);
  Of.Missed = Now->Missed;
  Of.Untimed = Now->Untimed;
  // The process may continue all the same, if its exec fails.
  Of.Told = Now->Ending;
  if (WithRows)
    Of.Read = Asked;
  if (!Of.Told)
    return Error::success();
  if (Error E = Of.Names.learn(*Of.C))
    return E;
  Of.C->goOn();
  return Error::success();
}

/// The interval of a table begins with the reading for the table before.
void Timing::beginInterval(Process &Of, bool ForTable) {
  if (!Of.HasBegun)
    Of.CallsBefore = Of.CallsNow;
  Of.HasBegun = !ForTable;
}

/// Counted calls belong to the rows that were read at the same time.
void Timing::keepCalls(Process &Of, bool ForTable) {
  if (Of.Limit)
    Of.Less = Of.Limit->reduced();
  beginInterval(Of, ForTable);
  Of.CallsNow = Of.Calls;
  for (auto [Number, Less] : Of.Less)
    Of.CallsNow[Number] += Less.Counted;
}

Error Timing::readAll(bool WithRows, bool ForTable) {
  auto Begin = Target::Clock::now();
  Changed = 0;
  for (size_t I = 0; I != Processes.size(); ++I) {
    Process *Of = Processes[I].get();
    if (!Of->C) {
      if (ForTable)
        beginInterval(*Of, /*ForTable=*/true);
      continue;
    }
    Error E = readOne(*Of, WithRows, ForTable);
    if (!E)
      continue;
    if (E.isA<ProcessStopped>()) {
      At.tellStopped(std::move(E), Target::Clock::now() - Of->Read);
      continue;
    }
    auto It =
        find_if(At.Connections, [&](auto &C) { return C.get() == Of->C; });
    Of->C = nullptr;
    Of->Limit.reset();
    if (ForTable)
      beginInterval(*Of, /*ForTable=*/true);
    if (!Of->Told)
      Of->Age = Target::Clock::now() - Of->Read;
    if (Error Other = At.drop(static_cast<size_t>(It - At.Connections.begin()),
                              std::move(E)))
      return Other;
    if (!At.hasFollowed() && !At.watchesChildren())
      Ended.push_back(Of->Name);
  }
  Looked = Target::Clock::now();
  Took = Looked - Begin;
  beginNext();
  if (At.watchesChildren() && Ended.empty() && allEnded())
    Ended.push_back("the command");
  return Error::success();
}

void Timing::beginNext() {
  while (Connection *Next = At.takeNext()) {
    Error Attached = attachTo(*Next);
    if (!Attached && (Attached = begin(*Processes.back())))
      Processes.pop_back();
    At.begin(*Next, std::move(Attached));
  }
}

Error Timing::read() { return readAll(/*WithRows=*/true, /*ForTable=*/true); }

Error Timing::look() {
  // So many rows are read in a few milliseconds. A limit of time would depend
  // on what else the machine does.
  constexpr size_t Few = 500;
  return readAll(/*WithRows=*/Changed < Few, /*ForTable=*/false);
}

uint64_t Timing::missed() const {
  uint64_t Sum = 0;
  for (const auto &Of : Processes)
    Sum += Of->Missed;
  return Sum;
}

uint64_t Timing::untimed() const {
  uint64_t Sum = 0;
  for (const auto &Of : Processes)
    Sum += Of->Untimed;
  return Sum;
}

std::optional<Target::Clock::duration> Timing::age() const {
  std::optional<Target::Clock::duration> Oldest;
  for (const auto &Of : Processes)
    Oldest = std::max(Oldest, Of->Age);
  return Oldest;
}

Target::Clock::time_point Timing::nextLook() const {
  using namespace std::chrono_literals;
  // An ending process waits until its last values are read.
  auto Next = Looked + pauseAfter(Took, 100ms);
  for (const auto &Of : Processes)
    if (Of->Limit)
      Next = std::min(Next, Of->Limit->next(Took));
  return Next;
}

std::vector<std::string> Timing::takeNews() {
  std::vector<std::string> All;
  for (auto &Of : Processes)
    append_range(All, std::exchange(Of->News, {}));
  return All;
}

std::map<std::string, CallTimes> Timing::rows() const {
  std::map<std::string, CallTimes> Sum;
  for (const auto &Of : Processes) {
    for (const auto &[Number, Rows] : Of->Rows) {
      if (!Of->Names.knows(Number))
        continue;
      for (const TimeRow &Row : Rows)
        if (Row.Sums.calls || Row.Sums.open)
          Sum[keyOf(*Of, Row)].add(Row, Of->PerTick);
      auto Before = Of->CallsBefore.find(Number);
      if (Rows.empty() || Before == Of->CallsBefore.end())
        continue;
      CallTimes &Times = Sum[keyOf(*Of, Rows.front())];
      Times.CallsBefore = Times.CallsBefore.value_or(0) + Before->second;
    }
    addReduced(*Of, Sum);
  }
  if (By == TimesBy::Usual && !Several && Sum.size() == 1) {
    auto Only = Sum.extract(Sum.begin());
    Only.key().clear();
    Sum.insert(std::move(Only));
  }
  return Sum;
}

void Timing::explain() {
  uint64_t Calls = 0;
  std::set<std::string> WithoutTimes;
  for (const auto &Of : Processes) {
    for (const auto &[Number, OfFunction] : Of->Calls)
      Calls += OfFunction;
    for (uint32_t Number : Of->WithoutTimes)
      if (Of->Names.knows(Number))
        WithoutTimes.insert(Of->Names.known(Number).readable());
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
  if (missed())
    note(countText(missed(), "hit") +
         " missed: libtprt was busy with another hit of the same thread, as "
         "when a signal handler interrupts it, or the thread got no memory; "
         "the missed calls have no times, but 'tpctl count' counts such calls");
  if (untimed())
    note(countText(untimed(), "call") +
         " not timed: more than 4,096 were open in a thread");
}

} // namespace tpctl
