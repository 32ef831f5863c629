// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// TPRT_OPTIONS=count=GLOB: attaches a counting probe for each pattern when the
// library is loaded, and collects the counts for the table.
#include "options/count_option.h"
#include "base/sort.h"
#include "modules/point_groups.h"
#include "options/option_start.h"
#include "options/option_tables.h"
#include "options/option_values.h"
#include "options/site_facts.h"

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

// Joins the rows of sites that the compiler made of one statement of a point.
// They become neighbours by their descriptors' addresses.
static void joinCopies(Array<Row> &rows) {
  heapSort(rows.begin(), rows.size(), [](const Row &a, const Row &b) {
    return a.file != b.file ? a.file < b.file : a.site < b.site;
  });
  size_t kept = 0;
  for (size_t i = 0; i < rows.size(); ++i)
    if (kept && rows[i].file && rows[kept - 1].file == rows[i].file)
      rows[kept - 1].calls += rows[i].calls;
    else
      rows[kept++] = rows[i];
  rows.resize(kept);
}

static void addRow(Table &table, const tprt_site *site, uint64_t count) {
  SiteFacts facts = lookAt(site);
  Row row{site, count, 0, 0, 0, nullptr, nullptr, 0, 0};
  if (facts.point) {
    row.file = fileOf(*facts.point);
    row.line = facts.point->line;
  }
  table.rows.push(row);
}

bool collectCounts(Table &table, Which which) {
  table.kind = "count";
  for (const tprt_probe *probe : probes)
    if (probe)
      visitCounts(
          probe,
          [](const tprt_site *site, uint64_t count, void *data) {
            addRow(*static_cast<Table *>(data), site, count);
          },
          &table);
  joinCopies(table.rows);
  table.watched = table.rows.size();
  size_t kept = 0;
  for (const Row &row : table.rows) {
    table.points += row.file != nullptr;
    if (row.calls || which == Which::All)
      table.rows[kept++] = row;
  }
  table.rows.resize(kept);
  return options.counted.count;
}

} // namespace tprt
