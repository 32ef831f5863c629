// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// TPRT_OPTIONS=count=GLOB: a counting probe for each pattern, from the start of
// the library on.
#include "core/probe.h"
#include "core/status.h"
#include "core/threads.h"
#include "optional/options.h"
#include "optional/start.h"
#include "optional/tables.h"

namespace tprt {

static tprt_probe *probes[kMostPatterns];

bool startCounting() {
  bool any = false;
  for (size_t i = 0; i < options.counted.count; ++i) {
    tprt_selector selector = selectorOf(options.counted, i);
    tprt_action action{};
    action.kind = TPRT_ACTION_COUNT;
    tprt_result result{};
    Quiet quiet;
    tprt_status status =
        tprt_probe_attach(&selector, &action, &probes[i], &result);
    quiet.end();
    sayHowItWent(options.counted, i, status, result);
    any |= probes[i] != nullptr;
  }
  return any;
}

bool collectCounts(Table &table, Which which) {
  table.kind = "count";
  for (const tprt_probe *probe : probes) {
    if (!probe)
      continue;
    table.watched += probe->sites.size();
    for (size_t i = 0; i < probe->sites.size(); ++i) {
      uint32_t index = probe->sites[i];
      uint64_t count = sumCounters(index) - probe->baselines[i];
      if (count || which == Which::All)
        table.rows.push({&sites[index], count, 0, 0, 0, nullptr, nullptr, 0});
    }
  }
  return options.counted.count;
}

} // namespace tprt
