// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads what the threads of a group have measured; see timed_rows.h. Without
// the lock, while the threads go on.
#include "timing/timed_rows.h"
#include "threads/thread_block.h"
#include "timing/thread_sums.h"

namespace tprt {

static uint64_t read(const uint64_t &figure) {
  return __atomic_load_n(&figure, __ATOMIC_RELAXED);
}

static const TimedTally *firstTally(const TimedGroup *group) {
  return __atomic_load_n(&group->tallies, __ATOMIC_ACQUIRE);
}

static const FunctionTimes *chunkOf(const TimedTally &tally, uint32_t chunk) {
  return __atomic_load_n(&tally.chunks[chunk], __ATOMIC_ACQUIRE);
}

// nullptr: the tally's threads have not called the function. Most functions of
// a chunk are not called, and a row takes long to make.
static const FunctionTimes *timesOf(const TimedTally &tally, uint32_t site) {
  const FunctionTimes *chunk = chunkOf(tally, site / kChunkSites);
  const FunctionTimes *times = chunk ? &chunk[site % kChunkSites] : nullptr;
  return times && __atomic_load_n(&times->link, __ATOMIC_RELAXED) ? times
                                                                  : nullptr;
}

static void addSums(TimedSums &sums, const FunctionTimes &times) {
  uint64_t longest = read(times.longest);
  sums.calls += read(times.calls);
  sums.total += read(times.total);
  sums.self += read(times.self);
  sums.longest = longest > sums.longest ? longest : sums.longest;
  sums.unplaced += read(times.unplaced);
  sums.cut += __atomic_load_n(&times.cut, __ATOMIC_RELAXED);
  sums.untimed |= __atomic_load_n(&times.link, __ATOMIC_RELAXED) == kUntimed;
}

// Whether the thread that writes to the tally still exists. If not, the calls
// in the tally's list never end.
static bool isCurrent(const TimedTally &tally) {
  const auto &state = *reinterpret_cast<const ThreadTimes *>(
      tally.block->componentState + timesComponent.stateAt);
  return __atomic_load_n(&state.of[tally.group->slot], __ATOMIC_RELAXED) ==
             reinterpret_cast<uintptr_t>(&tally) &&
         !isFree(tally.block);
}

// The calls of one function that are open in a tally. The list is read only if
// the function has an outermost call.
static uint32_t countOpen(const TimedTally &tally, const FunctionTimes &times) {
  const FunctionTimes &own = times.isOfCaller ? *times.function : times;
  if (!__atomic_load_n(&own.outermost, __ATOMIC_RELAXED) || !isCurrent(tally))
    return 0;
  uint32_t count = 0;
  for (const TimedCall *call =
           __atomic_load_n(&tally.open.top, __ATOMIC_ACQUIRE);
       call > tally.open.calls; --call)
    count += __atomic_load_n(&call->times, __ATOMIC_RELAXED) == &times &&
             __atomic_load_n(&call->stack, __ATOMIC_RELAXED);
  return count;
}

static int32_t threadOf(const TimedTally &tally) {
  int32_t known = __atomic_load_n(&tally.thread, __ATOMIC_RELAXED);
  int32_t owner = __atomic_load_n(&tally.block->owner, __ATOMIC_RELAXED);
  // In the child of a fork the owner's number is a new one.
  return known && owner > 0 && isCurrent(tally) ? owner : known;
}

static void addBuckets(uint64_t *counts, const TimedTally &tally,
                       const FunctionTimes &times) {
  const uint64_t *due = __atomic_load_n(&tally.due, __ATOMIC_RELAXED);
  for (uint32_t i = 0; i < kPieces; ++i)
    if (uint32_t piece = __atomic_load_n(&times.pieces[i], __ATOMIC_ACQUIRE))
      for (uint32_t j = 0; j < kPieceBuckets; ++j) {
        const uint64_t &bucket = tally.pieces[piece][j];
        counts[i * kPieceBuckets + j] += read(bucket) + (&bucket == due);
      }
}

// Replaces the counts by the words of TimedRow, and adds them to `placed`.
// Returns how many there are.
static uint32_t packBuckets(uint64_t *counts, uint64_t &placed) {
  constexpr uint64_t kMost = (uint64_t{1} << kBucketShift) - 1;
  uint32_t used = 0;
  for (uint32_t i = 0; i < kPieces * kPieceBuckets; ++i)
    if (uint64_t count = counts[i]) {
      placed += count;
      counts[used++] =
          uint64_t{i} << kBucketShift | (count < kMost ? count : kMost);
    }
  return used;
}

static const CallerTimes *latestCallerOf(const FunctionTimes &times) {
  return __atomic_load_n(&times.latestCaller, __ATOMIC_ACQUIRE);
}

// Calls visit(sums) for each return address of a function's calls.
template <class Visit>
static void visitCallers(const FunctionTimes &times, Visit visit) {
  for (const CallerTimes *of = latestCallerOf(times); of; of = of->next)
    visit(of->sums);
}

uint64_t timedCalls(const TimedGroup *group) {
  uint64_t calls = 0;
  for (const TimedTally *r = firstTally(group); r; r = r->next)
    for (uint32_t i = 0; i < chunksInUse(); ++i)
      if (const FunctionTimes *chunk = chunkOf(*r, i))
        for (uint32_t j = 0; j < kChunkSites; ++j) {
          calls += read(chunk[j].calls);
          visitCallers(chunk[j], [&](const FunctionTimes &times) {
            calls += read(times.calls);
          });
        }
  return calls;
}

uint64_t lostTimed(const TimedGroup *group) {
  uint64_t lost = read(group->lost);
  for (const TimedTally *r = firstTally(group); r; r = r->next)
    lost += read(r->lost);
  return lost;
}

void sumTimed(const TimedGroup *group, uint32_t site, TimedSums &sums) {
  sums = {};
  for (const TimedTally *r = firstTally(group); r; r = r->next)
    if (const FunctionTimes *times = timesOf(*r, site)) {
      addSums(sums, *times);
      visitCallers(*times, [&](const FunctionTimes &of) { addSums(sums, of); });
    }
}

namespace {
// A visit, and the row that it makes just now.
struct Visit {
  const TimedGroup &group;
  TimedPlace &place;
  uint32_t detail;
  bool (*visit)(const TimedRow &row, void *data);
  void *data;
  TimedRow row;
  uint64_t counts[kPieces * kPieceBuckets];
  // Rows without calls are told as well. Those of functions without an exit
  // always are, as the tool says so.
  bool tellsEmpty = false;
  // A call of the function was about to get into its bucket.
  bool isUnsettled = false;

  void begin(int32_t thread, uint64_t returnAddress = 0) {
    row = {place.site, thread, {}, counts, 0, returnAddress};
    if (detail & kTimedBuckets)
      for (uint64_t &count : counts)
        count = 0;
  }
  void addAll(const TimedTally &tally, const FunctionTimes &times) {
    add(tally, times);
    if (group.byCallers)
      visitCallers(times, [&](const FunctionTimes &of) { add(tally, of); });
  }
  void add(const TimedTally &tally, const FunctionTimes &times) {
    addSums(row.sums, times);
    row.sums.open += countOpen(tally, times);
    if (detail & kTimedBuckets && group.pool.pieces)
      addBuckets(counts, tally, times);
  }
  // False: the visit stops at this row.
  bool tell() {
    if (!row.sums.calls && !row.sums.open && !row.sums.untimed && !tellsEmpty)
      return true;
    if (detail & kTimedBuckets && group.pool.pieces) {
      uint64_t placed = row.sums.unplaced;
      row.bucketCount = packBuckets(counts, placed);
      isUnsettled |= placed != row.sums.calls;
    }
    return visit(row, data);
  }
  bool tellThreads();
  bool tellThread(const TimedTally &tally, const FunctionTimes &times,
                  uint32_t number);
  bool tellCallers(const TimedTally &tally, const FunctionTimes &times,
                   uint32_t number);
  bool tellAll();
  bool tellSite() {
    return detail & (kTimedThreads | kTimedCallers) ? tellThreads() : tellAll();
  }
  uint64_t signature() const;
  bool tellChanged(Array<uint64_t> &told);
};
} // namespace

// A row's number: that of its tally, and that of its return address among those
// of the function. Both are counted from the list's end, because what is new
// comes first: so numbers stay the same. Rows are told from the highest number
// down.
static constexpr unsigned kCallerBits = 13;
static_assert(CallerTable::kMost < 1 << kCallerBits);

bool Visit::tellThread(const TimedTally &tally, const FunctionTimes &times,
                       uint32_t number) {
  if (place.row && number > place.row)
    return true;
  begin(threadOf(tally));
  addAll(tally, times);
  if (tell())
    return true;
  place.row = number;
  return false;
}

bool Visit::tellCallers(const TimedTally &tally, const FunctionTimes &times,
                        uint32_t number) {
  auto tellOne = [&](const FunctionTimes &of, uint64_t returnAddress) {
    uint32_t own = number--;
    if (place.row && own > place.row)
      return true;
    begin(threadOf(tally), returnAddress);
    add(tally, of);
    if (tell())
      return true;
    place.row = own;
    return false;
  };
  const CallerTimes *latest = latestCallerOf(times);
  for (const CallerTimes *of = latest; of; of = of->next)
    ++number;
  for (const CallerTimes *of = latest; of; of = of->next)
    if (!tellOne(of->sums, of->returnAddress))
      return false;
  return tellOne(times, 0);
}

bool Visit::tellThreads() {
  const TimedTally *first = firstTally(&group);
  uint32_t number = 0;
  for (const TimedTally *r = first; r; r = r->next)
    ++number;
  for (const TimedTally *r = first; r; r = r->next) {
    uint32_t own = number-- << kCallerBits;
    const FunctionTimes *times = timesOf(*r, place.site);
    if (!times)
      continue;
    bool goesOn = detail & kTimedCallers && group.byCallers
                      ? tellCallers(*r, *times, own)
                      : tellThread(*r, *times, own);
    if (!goesOn)
      return false;
  }
  place.row = 0;
  return true;
}

bool Visit::tellAll() {
  bool any = false;
  for (const TimedTally *r = firstTally(&group); r; r = r->next)
    if (const FunctionTimes *times = timesOf(*r, place.site)) {
      if (!any)
        begin(0);
      any = true;
      addAll(*r, *times);
    }
  return !any || tell();
}

// A number that changes whenever something changes that rows tell of the site's
// function, except its buckets. 0: it has no calls.
uint64_t Visit::signature() const {
  uint64_t sum = 0;
  auto sign = [&](const TimedTally &tally, const FunctionTimes &times) {
    TimedSums of = {};
    addSums(of, times);
    of.open = countOpen(tally, times);
    // Odd numbers, so that no two changes give the same sum by chance.
    const uint64_t parts[] = {of.calls,    of.total, of.self, of.longest,
                              of.unplaced, of.cut,   of.open, of.untimed};
    uint64_t word = 0;
    for (uint64_t part : parts)
      word = (word + part) * 0x9e3779b97f4a7c15;
    sum += word;
  };
  for (const TimedTally *r = firstTally(&group); r; r = r->next)
    if (const FunctionTimes *times = timesOf(*r, place.site)) {
      sign(*r, *times);
      visitCallers(*times, [&](const FunctionTimes &of) { sign(*r, of); });
    }
  return sum;
}

// The signature is made before the rows, so it lacks what comes meanwhile, and
// differs the next time. A call's bucket is written last, and is in no
// signature: the function is told again if its calls are not all in buckets.
// So it is if a page has ended in the middle of its rows.
bool Visit::tellChanged(Array<uint64_t> &told) {
  constexpr uint64_t kAgain = UINT64_MAX;
  uint64_t &before = told[place.site];
  const bool isRest = place.row;
  const uint64_t now = signature();
  if (now == before && !isRest)
    return true;
  tellsEmpty = before;
  isUnsettled = false;
  if (!tellSite())
    return false;
  before = isRest || isUnsettled ? kAgain : now;
  return true;
}

bool visitTimed(const TimedGroup *group, TimedPlace *place, uint32_t detail,
                bool (*visit)(const TimedRow &row, void *data), void *data,
                Array<uint64_t> *told) {
  Visit all{*group, *place, detail, visit, data, {}, {}};
  uint32_t end = chunksInUse() * kChunkSites;
  while (place->site < end) {
    bool any = false;
    for (const TimedTally *r = firstTally(group); r && !any; r = r->next)
      any = chunkOf(*r, place->site / kChunkSites) != nullptr;
    if (!any) {
      *place = {(place->site / kChunkSites + 1) * kChunkSites, 0};
      continue;
    }
    const bool known = told && place->site < told->size();
    if (!(known ? all.tellChanged(*told) : all.tellSite()))
      return false;
    ++place->site;
  }
  return true;
}

} // namespace tprt
