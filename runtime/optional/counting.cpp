// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// TPRT_OPTIONS=count=GLOB: attaches a counting probe for each pattern when the
// library is loaded, and collects the counts for the table. Part of
// libtprt-options.so.
#include "optional/extension.h"
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
        runtime->attach(&selector, &action, &probes[i], &result);
    quiet.end();
    sayHowItWent(options.counted, i, status, result);
    any |= probes[i] != nullptr;
  }
  return any;
}

bool collectCounts(Table &table, Which which) {
  table.kind = "count";
  struct Want {
    Table &table;
    Which which;
  } want{table, which};
  for (const tprt_probe *probe : probes)
    if (probe)
      runtime->visitCounts(
          probe,
          [](const tprt_site *site, uint64_t count, void *data) {
            auto &want = *static_cast<Want *>(data);
            ++want.table.watched;
            if (count || want.which == Which::All)
              want.table.rows.push({site, count, 0, 0, 0, nullptr, nullptr, 0});
          },
          &want);
  return options.counted.count;
}

} // namespace tprt
