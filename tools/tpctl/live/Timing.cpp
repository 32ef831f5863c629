// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Timing.h.

#include "Timing.h"

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

/// The buckets have all calls. If these took more than `Total` at the least,
/// `Total` lacks some.
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

double CallTimes::quantile(double Share) const {
  uint64_t All = 0, Below = 0;
  for (auto [Bucket, Count] : Buckets)
    All += Count;
  double Wanted = Share * static_cast<double>(All);
  for (auto [Bucket, Count] : Buckets) {
    Below += Count;
    if (static_cast<double>(Below) >= Wanted)
      return std::min((startOf(Bucket) + startOf(Bucket + 1)) / 2, Longest);
  }
  return 0;
}

Error Timing::attachTo(Connection &C) {
  auto Of = std::make_unique<Process>(C, P);
  auto Done =
      Of->On.attach(By == TimesBy::Caller ? TPRT_CONTROL_PER_CALLER : 0);
  if (!Done)
    return Done.takeError();
  if (!Done->Why.empty() && Done->Matched)
    note(Done->Why);
  Sites += Done->Enabled;
  Why = Why.empty() ? Done->Why : Why;
  Of->C = &C;
  Of->Name = C.name();
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
  return Error::success();
}

Expected<std::string> Timing::keyOf(Process &Of, const TimeRow &Row) {
  switch (By) {
  case TimesBy::Nothing:
    return std::string();
  case TimesBy::Thread:
    return Row.Sums.thread ? "thread " + std::to_string(Row.Sums.thread)
                           : "several threads";
  case TimesBy::Caller:
    return Row.ReturnAddress ? Of.Code->callerAt(Row.ReturnAddress)
                             : "callers beyond the first 4,096 of a thread";
  case TimesBy::Process:
    return Of.C->name();
  case TimesBy::Function:
    auto Site = Of.Names.find(*Of.C, Row.Sums.site);
    if (!Site)
      return Site.takeError();
    return (*Site)->readable();
  }
  llvm_unreachable("all are named");
}

Error Timing::limit(Process &Of, const Times &Now) {
  if (!Of.Limit)
    return Error::success();
  std::map<uint32_t, uint64_t> Hits;
  for (const TimeRow &Row : Now.Rows)
    Hits[Row.Sums.site] += Row.Sums.calls;
  if (Error E = Of.Limit->look(Hits))
    return E;
  auto NameOf = [&](uint32_t Number) {
    auto Site = Of.Names.find(*Of.C, Number);
    if (Site)
      return (*Site)->readable();
    consumeError(Site.takeError());
    return "site " + std::to_string(Number);
  };
  append_range(Of.News, describeSteps(Of.Limit->takeSteps(), B, NameOf));
  return Error::success();
}

Error Timing::makeRows(Process &Of, const Times &Now) {
  std::map<std::string, CallTimes> Fresh;
  for (const TimeRow &Row : Now.Rows) {
    auto Key = keyOf(Of, Row);
    if (!Key)
      return Key.takeError();
    Fresh[*Key].add(Row, Of.C->nanosecondsPerTick());
  }
  if (Error E = addReduced(Of, Fresh))
    return E;
  Of.Rows = std::move(Fresh);
  return Error::success();
}

/// What the budget has left of functions. It is not known of which threads and
/// callers the calls are that were only counted.
Error Timing::addReduced(Process &Of, std::map<std::string, CallTimes> &To) {
  if (!Of.Limit || By == TimesBy::Thread || By == TimesBy::Caller)
    return Error::success();
  for (auto [Number, Less] : Of.Limit->reduced()) {
    TimeRow Only{};
    Only.Sums.site = Number;
    auto Key = keyOf(Of, Only);
    if (!Key)
      return Key.takeError();
    CallTimes &Row = To[*Key];
    Row.Now = std::max(Row.Now, Less.Now);
    Row.Counted += Less.Counted;
  }
  return Error::success();
}

Error Timing::readOne(Process &Of, bool WithRows) {
  uint32_t Detail =
      By == TimesBy::Thread ? uint32_t{TPRT_CONTROL_DETAIL_THREADS} : 0u;
  if (WithRows)
    Detail |= TPRT_CONTROL_DETAIL_HISTOGRAMS;
  if (WithRows && By == TimesBy::Caller)
    Detail |= TPRT_CONTROL_DETAIL_CALLERS;
  auto Later = Of.On.attachLater();
  if (!Later)
    return Later.takeError();
  Sites += *Later;
  auto Asked = Target::Clock::now();
  auto Now = readTimes(*Of.C, Of.Group, Detail);
  if (!Now)
    return Now.takeError();
  if (Now->Ending && !WithRows)
    return readOne(Of, /*WithRows=*/true);
  if (Error E = limit(Of, *Now))
    return E;
  if (WithRows)
    if (Error E = makeRows(Of, *Now))
      return E;
  Of.Missed = Now->Missed;
  Of.Untimed = Now->Untimed;
  // It may go on all the same, if another program cannot be run in its place.
  Of.Told = Now->Ending;
  Of.Read = Asked;
  if (Of.Told)
    Of.C->goOn();
  return Error::success();
}

Error Timing::readAll(bool WithRows) {
  auto Begin = Target::Clock::now();
  for (auto &Of : Processes) {
    if (!Of->C)
      continue;
    Error E = readOne(*Of, WithRows);
    if (!E)
      continue;
    auto It =
        find_if(At.Connections, [&](auto &C) { return C.get() == Of->C; });
    Of->C = nullptr;
    Of->Limit.reset();
    Ended.push_back(Of->Name);
    if (!Of->Told)
      Of->Age = Target::Clock::now() - Of->Read;
    if (Error Other = At.drop(static_cast<size_t>(It - At.Connections.begin()),
                              std::move(E)))
      return Other;
  }
  Looked = Target::Clock::now();
  Took = Looked - Begin;
  return Error::success();
}

Error Timing::read() { return readAll(/*WithRows=*/true); }
Error Timing::look() { return readAll(/*WithRows=*/false); }

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
  // A process that ends waits for a look at it.
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
  for (const auto &Of : Processes)
    for (const auto &[Key, Times] : Of->Rows)
      Sum[Key].add(Times);
  return Sum;
}

void Timing::explain() const {
  uint64_t Calls = 0;
  for (const auto &[Name, Times] : rows())
    Calls += Times.Calls;
  // What the process itself attaches in libraries that it loads later has no
  // number here.
  if (!Sites && !Calls) {
    note("no function matches " + P.text() + (Why.empty() ? "" : ": " + Why));
    At.tellOthers();
  } else if (!Calls)
    note(countText(Sites, "site") +
         " watched, and no call began and ended meanwhile");
  if (missed() || untimed())
    note(countText(missed(), "hit") + " missed inside handlers, " +
         countText(untimed(), "call") +
         " not timed: more than 4,096 were open in a thread");
}

} // namespace tpctl
