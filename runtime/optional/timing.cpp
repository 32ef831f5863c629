// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// TPRT_OPTIONS=time=GLOB: measures how long calls take. Each thread adds up the
// times of its calls per function, in memory of its own and without a lock. The
// sums of all threads are added when the table is printed. made(), enters() and
// left() run in hits: async-signal-safe.
//
// If a function calls itself, directly or not, only the time of its outermost
// call counts as total. So the thread knows, for each function, the place of
// that call in its list of open calls. Self is the time that no other timed
// function took.
#include "core/plain/pages.h"
#include "optional/extension.h"
#include "optional/follow.h"
#include "optional/options.h"
#include "optional/output.h"
#include "optional/start.h"
#include "optional/tables.h"

#include <errno.h>

namespace tprt {

namespace {
// The sums of one function in one thread. That thread alone writes them; a
// thread that prints reads them.
struct Sums {
  uint64_t calls, total, self, longest;
  uint32_t outermost; // 1 + the place of its outermost open call; may be stale
  uint8_t known;      // whether it has exits: enum Known
  uint32_t cut;       // calls that were left without an exit
};

enum Known : uint8_t { Unknown, HasExits, NoExits };

constexpr uint32_t kChunkSites = 1024, kChunks = kMaxSites / kChunkSites;

// A thread's figures. They lie behind its OpenCalls (follow.h).
struct Times {
  Times *next; // of another thread
  // Calls that were not timed.
  uint64_t lost;
  // inside[i + 1] is the time that the open call at place i has spent so far in
  // timed calls that it made.
  uint64_t inside[kMostOpen + 2];
  Sums *chunks[kChunks];
};
} // namespace

static tprt_probe *probes[kMostPatterns];
// The list of all threads' figures. Nothing is ever removed from it. The
// release in made() pairs with the acquire in rowOf() and collectTimes().
static Times *allTimes;
static bool withoutExit(const tprt_site *entry, uint32_t site);

static Times &timesOf(OpenCalls &open) {
  return *reinterpret_cast<Times *>(&open + 1);
}

static void add(uint64_t &sum, uint64_t more) {
  __atomic_store_n(&sum, sum + more, __ATOMIC_RELAXED);
}

static void made(OpenCalls &open) {
  Times *times = &timesOf(open), *head = nullptr;
  do
    times->next = head;
  while (!__atomic_compare_exchange_n(&allTimes, &head, times, true,
                                      __ATOMIC_RELEASE, __ATOMIC_RELAXED));
}

static Sums *sumsOf(Times &times, uint32_t site) {
  Sums *&chunk = times.chunks[site / kChunkSites];
  if (!chunk) {
    int saved = errno;
    auto *fresh = static_cast<Sums *>(
        allocatePages(roundToPages(kChunkSites * sizeof(Sums))));
    errno = saved;
    __atomic_store_n(&chunk, fresh, __ATOMIC_RELEASE);
    if (!fresh)
      return nullptr;
  }
  return &chunk[site % kChunkSites];
}

static bool enters(OpenCalls &open, const tprt_site *entry, uint32_t site) {
  Times &times = timesOf(open);
  uint32_t depth = open.count;
  Sums *sums = sumsOf(times, site);
  if (!sums || depth == kMostOpen) {
    add(times.lost, 1);
    return false;
  }
  if (sums->known == Unknown)
    __atomic_store_n(&sums->known,
                     withoutExit(entry, site) ? NoExits : HasExits,
                     __ATOMIC_RELAXED);
  if (sums->known == NoExits)
    return false;
  // The call is inside another call of the same function, if that one is still
  // open. `outermost` may be stale: a thread may have ended with calls open,
  // and this thread may have taken over its memory.
  bool recursive = sums->outermost && sums->outermost <= depth &&
                   open.calls[sums->outermost - 1].entry == entry;
  if (!recursive)
    sums->outermost = depth + 1;
  times.inside[depth + 1] = 0;
  return true;
}

static void left(OpenCalls &open, uint32_t depth, uint32_t site, uint64_t ticks,
                 uint32_t flags) {
  Times &times = timesOf(open);
  Sums *sums = sumsOf(times, site);
  if (!sums)
    return;
  uint64_t others = times.inside[depth + 1];
  times.inside[depth] += ticks;
  add(sums->calls, 1);
  add(sums->self, ticks > others ? ticks - others : 0);
  if (ticks > sums->longest)
    __atomic_store_n(&sums->longest, ticks, __ATOMIC_RELAXED);
  if (sums->outermost == depth + 1) {
    add(sums->total, ticks);
    sums->outermost = 0;
  }
  if (flags & TPRT_DURATION_ABANDONED)
    __atomic_store_n(&sums->cut, sums->cut + 1, __ATOMIC_RELAXED);
}

static constexpr Follower kFollower = {sizeof(Times), made, enters, left};

// --- functions without exits -------------------------------------------------

// A bit for each site that was there at the start: its function has no exits.
static uint64_t *noExits;

static bool hasBit(uint32_t site) {
  return noExits && noExits[site / 64] >> site % 64 & 1;
}

// Sites of a module that was loaded later have no bit, so the module's sites
// are searched.
static bool withoutExit(const tprt_site *entry, uint32_t site) {
  return hasBit(site) || !runtime->hasExit(entry);
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
  SiteFacts facts;
  runtime->look(entry, facts);
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
    Locked locked;
    if (!noExits)
      noExits = static_cast<uint64_t *>(reservePages(kMaxSites / 8));
    runtime->findWithoutExits(probes[i], note, &lacking);
    runtime->visitCounts(
        probes[i],
        [](const tprt_site *site, uint64_t, void *all) {
          SiteFacts facts;
          runtime->look(site, facts);
          *static_cast<size_t *>(all) += facts.isEntry;
        },
        &all);
  }
  if (!lacking.count)
    return;
  Piece names[2 * Lacking::kShown + 1];
  for (size_t n = 0; n < lacking.count && n < Lacking::kShown; ++n) {
    SiteFacts facts;
    runtime->look(lacking.first[n], facts);
    names[2 * n] = n ? ", " : " ";
    names[2 * n + 1] = facts.name ? Piece(facts.name) : Piece(facts.function);
  }
  if (lacking.count > Lacking::kShown)
    names[2 * Lacking::kShown] = ", ...";
  tell(1, "tprt: time=", options.timed.globs[i], ": ", lacking.count, " of ",
       all, all == 1 ? " function" : " functions",
       " can't be timed, without an exit sled (build with -ftp-exit):",
       Piece(names, 2 * Lacking::kShown + 1), "\n");
}

// --- start and end -----------------------------------------------------------

bool startTiming() {
  bool any = false;
  for (size_t i = 0; i < options.timed.count; ++i) {
    tprt_selector selector = selectorOf(options.timed, i);
    tprt_result result{};
    Quiet quiet;
    tprt_status status =
        runtime->follow(&selector, kFollower, &probes[i], &result);
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
  bool without = hasBit(site);
  Row row{entry, 0, 0, 0, 0, nullptr, nullptr, 0};
  for (Times *t = __atomic_load_n(&allTimes, __ATOMIC_ACQUIRE); t;
       t = t->next) {
    const Sums *chunk =
        __atomic_load_n(&t->chunks[site / kChunkSites], __ATOMIC_ACQUIRE);
    if (!chunk)
      continue;
    const Sums &sums = chunk[site % kChunkSites];
    uint64_t longest = __atomic_load_n(&sums.longest, __ATOMIC_RELAXED);
    row.calls += __atomic_load_n(&sums.calls, __ATOMIC_RELAXED);
    row.total += __atomic_load_n(&sums.total, __ATOMIC_RELAXED);
    row.self += __atomic_load_n(&sums.self, __ATOMIC_RELAXED);
    row.longest = longest > row.longest ? longest : row.longest;
    table.cut += __atomic_load_n(&sums.cut, __ATOMIC_RELAXED);
    without |= __atomic_load_n(&sums.known, __ATOMIC_RELAXED) == NoExits;
  }
  table.unended += without;
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
      runtime->visitCounts(
          probe,
          [](const tprt_site *site, uint64_t, void *data) {
            auto &want = *static_cast<Want *>(data);
            SiteFacts facts;
            runtime->look(site, facts);
            if (!facts.isEntry)
              return;
            ++want.table.watched;
            Row row = rowOf(site, facts.index, want.table);
            if (row.calls || want.which == Which::All)
              want.table.rows.push(row);
          },
          &want);
  for (Times *t = __atomic_load_n(&allTimes, __ATOMIC_ACQUIRE); t; t = t->next)
    table.untimed += __atomic_load_n(&t->lost, __ATOMIC_RELAXED);
  return options.timed.count;
}

} // namespace tprt
