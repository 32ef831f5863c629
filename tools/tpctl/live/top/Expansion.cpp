// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Expansion.h.

#include "Expansion.h"

#include "live/requests/Readings.h"
#include "live/targets/Matches.h"

#include "tprt/tprt.h"

using namespace llvm;

namespace tpctl {

Error Expansion::begin(Target &At) {
  Begin = Target::Clock::now();
  for (auto &C : At.Connections) {
    auto Done = Following(*C, P, TPRT_KIND_SET_ALL, TPRT_CONTROL_ACTION_TIME)
                    .attach(TPRT_CONTROL_PER_CALLER);
    if (!Done)
      return Done.takeError();
    Processes.try_emplace(C->pid(), Process{Done->Group,
                                            SiteNames(P, TPRT_KIND_SET_ALL),
                                            CodeNames(C->pid()),
                                            {}});
  }
  return Error::success();
}

Error Expansion::readOne(Connection &C, Process &Of) {
  auto Now =
      readTimes(C, Of.Group,
                TPRT_CONTROL_DETAIL_CALLERS | TPRT_CONTROL_DETAIL_HISTOGRAMS);
  if (!Now)
    return Now.takeError();
  std::map<std::string, CallTimes> Fresh;
  for (const TimeRow &Row : Now->Rows) {
    if (!Row.ReturnAddress || Of.Code.callerAt(Row.ReturnAddress) != Name)
      continue;
    auto Site = Of.Names.find(C, Row.Sums.site);
    if (!Site)
      return Site.takeError();
    Fresh[(*Site)->readable()].add(Row, C.nanosecondsPerTick());
  }
  Of.Rows = std::move(Fresh);
  return Error::success();
}

// The table handles an ending process. This object keeps the last rows of the
// process.
void Expansion::read(Target &At) {
  for (auto &C : At.Connections)
    if (auto Of = Processes.find(C->pid()); Of != Processes.end()) {
      Error E = At.checkRuns(*C);
      consumeError(E ? std::move(E) : readOne(*C, Of->second));
    }
  std::map<std::string, CallTimes> Sum;
  for (const auto &[Pid, Of] : Processes)
    for (const auto &[Callee, Times] : Of.Rows)
      Sum[Callee].add(Times);
  Table.take(
      std::move(Sum),
      std::chrono::duration<double>(Target::Clock::now() - Begin).count());
}

void Expansion::end(Target &At) {
  for (auto &C : At.Connections)
    if (auto Of = Processes.find(C->pid()); Of != Processes.end())
      consumeError(detachGroups(*C, Of->second.Group, {}).takeError());
}

std::vector<TopRow> Expansion::rows(TopView View) const {
  View.Filter.clear();
  View.Limit = 0;
  std::vector<TopRow> Rows = Table.rows(View);
  for (TopRow &Row : Rows)
    Row.Name = "  > " + Row.Name;
  return Rows;
}

} // namespace tpctl
