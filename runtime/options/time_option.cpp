// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// TPRT_OPTIONS=time=GLOB: measures how long calls take. It uses a group of
// timed functions (timing/timed_groups.h), which exists until the process ends.
// The sums of all threads are added when the table is printed, which may be in
// a signal handler.
#include "options/time_option.h"
#include "base/os_memory.h"
#include "options/option_start.h"
#include "options/option_tables.h"
#include "options/option_values.h"
#include "options/output.h"
#include "options/site_facts.h"
#include "threads/lock.h"
#include "timing/missing_exits.h"
#include "timing/timed_groups.h"
#include "timing/timed_rows.h"

namespace tprt {

static TimedGroup *group; // nullptr: nothing is timed
static tprt_probe *probes[kMostPatterns];

// --- functions without exits -------------------------------------------------

// A bit for each site that was there at the start: its function has no exits.
// Sites of a module that was loaded later have no bit; the group knows of them
// once they are called.
static uint64_t *noExits;

static bool hasBit(uint32_t site) {
  return noExits && noExits[site / 64] >> site % 64 & 1;
}

namespace {
struct Lacking {
  static constexpr size_t kShown = 3;
  const tprt_site *first[kShown];
  size_t count;
};
} // namespace

static void note(const tprt_site *entry, void *data) {
  auto &lacking = *static_cast<Lacking *>(data);
  SiteFacts facts = lookAt(entry);
  if (noExits)
    noExits[facts.index / 64] |= uint64_t{1} << facts.index % 64;
  if (lacking.count < Lacking::kShown)
    lacking.first[lacking.count] = entry;
  ++lacking.count;
}

// Prints which functions of pattern `i` cannot be timed: their number, and the
// names of the first of them.
static void sayWhich(size_t i) {
  if (!probes[i])
    return;
  Lacking lacking{};
  size_t all = 0;
  {
    Lock lock;
    if (!noExits)
      noExits = static_cast<uint64_t *>(reservePages(kMaxSites / 8));
    findWithoutExits(probes[i], note, &lacking);
    visitCounts(
        probes[i],
        [](const tprt_site *site, uint64_t, void *all) {
          SiteFacts facts = lookAt(site);
          *static_cast<size_t *>(all) += facts.isEntry;
        },
        &all);
  }
  if (!lacking.count)
    return;
  Piece names[2 * Lacking::kShown + 1];
  for (size_t n = 0; n < lacking.count && n < Lacking::kShown; ++n) {
    SiteFacts facts = lookAt(lacking.first[n]);
    names[2 * n] = n ? ", " : " ";
    names[2 * n + 1] = facts.name ? Piece(facts.name) : Piece(facts.function);
  }
  if (lacking.count > Lacking::kShown)
    names[2 * Lacking::kShown] = ", ...";
  tell(1, "tprt: time=", options.timed.globs[i], ": ", lacking.count, " of ",
       all, all == 1 ? " function" : " functions", " can't be timed, ",
       options.code ? "because no exit is known or can be probed:"
                    : "without an exit sled (build with -ftp-exit):",
       Piece(names, 2 * Lacking::kShown + 1), "\n");
}

// --- start and end -----------------------------------------------------------

bool startTiming() {
  bool any = false;
  for (size_t i = 0; i < options.timed.count; ++i) {
    tprt_selector selector = selectorOf(options.timed, i);
    tprt_result result{};
    Quiet quiet;
    if (!group)
      makeTimed(group, 0);
    tprt_status status = attachTimed(group, &selector, &probes[i], &result);
    quiet.end();
    sayHowItWent(options.timed, i, status, result);
    sayWhich(i);
    any |= probes[i] != nullptr;
  }
  return any;
}

// Adds up one function over all threads. What is no figure of its row goes to
// `table`: whether the function has no exit sled, and how many of its calls
// were cut off.
static Row rowOf(const tprt_site *entry, uint32_t site, Table &table) {
  Row row{entry, 0, 0, 0, 0, nullptr, nullptr, 0, 0};
  TimedSums sums;
  sumTimed(group, site, sums);
  row.calls = sums.calls;
  row.total = sums.total;
  row.self = sums.self;
  row.longest = sums.longest;
  row.cut = sums.cut;
  table.cut += sums.cut;
  table.unended += sums.untimed || hasBit(site);
  return row;
}

bool collectTimes(Table &table, Which which) {
  table.kind = "time";
  table.timed = true;
  struct Want {
    Table &table;
    Which which;
  } want{table, which};
  for (const tprt_probe *probe : probes)
    if (probe)
      visitCounts(
          probe,
          [](const tprt_site *site, uint64_t, void *data) {
            auto &want = *static_cast<Want *>(data);
            SiteFacts facts = lookAt(site);
            if (!facts.isEntry)
              return;
            ++want.table.watched;
            Row row = rowOf(site, facts.index, want.table);
            if (row.calls || want.which == Which::All)
              want.table.rows.push(row);
          },
          &want);
  if (group)
    table.untimed += lostTimed(group);
  return options.timed.count;
}

} // namespace tprt
