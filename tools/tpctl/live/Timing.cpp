// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Timing.h.

#include "Timing.h"

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
}

double CallTimes::average() const {
  return Calls ? Total / static_cast<double>(Calls) : 0;
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

Error Timing::attach() {
  for (auto &C : At.Connections) {
    auto Of = std::make_unique<Process>(P);
    auto Done = attachSites(*C, P, Functions, TPRT_CONTROL_ACTION_TIME,
                            /*Keep=*/false);
    if (!Done)
      return Done.takeError();
    if (!Done->Why.empty() && Done->Matched)
      note(Done->Why);
    Sites += Done->Enabled;
    Of->C = C.get();
    Of->Pid = C->pid();
    Of->Group = Done->Group;
    Processes.push_back(std::move(Of));
  }
  return Error::success();
}

Expected<std::string> Timing::keyOf(Process &Of, const tprt_control_time &Row) {
  switch (By) {
  case TimesBy::Nothing:
    return std::string();
  case TimesBy::Thread:
    return "thread " + std::to_string(Row.thread);
  case TimesBy::Process:
    return Of.C->name();
  case TimesBy::Function:
    auto Site = Of.Names.find(*Of.C, Row.site);
    if (!Site)
      return Site.takeError();
    return (*Site)->readable();
  }
  llvm_unreachable("all are named");
}

Error Timing::readOne(Process &Of) {
  auto Now = readTimes(
      *Of.C, Of.Group,
      TPRT_CONTROL_DETAIL_HISTOGRAMS |
          (By == TimesBy::Thread ? uint32_t{TPRT_CONTROL_DETAIL_THREADS} : 0u));
  if (!Now)
    return Now.takeError();
  std::map<std::string, CallTimes> Fresh;
  for (const TimeRow &Row : Now->Rows) {
    auto Key = keyOf(Of, Row.Sums);
    if (!Key)
      return Key.takeError();
    Fresh[*Key].add(Row, Of.C->nanosecondsPerTick());
  }
  Of.Rows = std::move(Fresh);
  Missed = Now->Missed;
  Untimed = Now->Untimed;
  if (Now->Ending) {
    Of.C->goOn();
    Ending = true;
  }
  return Error::success();
}

Error Timing::read() {
  for (auto &Of : Processes) {
    if (!Of->C)
      continue;
    Error E = readOne(*Of);
    if (!E)
      continue;
    auto It =
        find_if(At.Connections, [&](auto &C) { return C.get() == Of->C; });
    Of->C = nullptr;
    if (Error Other = At.drop(static_cast<size_t>(It - At.Connections.begin()),
                              std::move(E)))
      return Other;
  }
  return Error::success();
}

std::map<std::string, CallTimes> Timing::rows() const {
  std::map<std::string, CallTimes> Sum;
  for (const auto &Of : Processes)
    for (const auto &[Key, Times] : Of->Rows)
      Sum[Key].add(Times);
  return Sum;
}

} // namespace tpctl
