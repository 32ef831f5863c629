// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The handler that times calls; see thread_sums.h. Runs in hits, on any thread:
// async-signal-safe, without a lock and without vector registers. The list of
// open calls is in shadow_stack.h. Most hits take a few loads, stores and
// comparisons next to the counter's read; whatever else there is, is in
// functions that are not inlined.
#include "timing/call_timer.h"
#include "modules/module.h"
#include "sites/arch.h"
#include "threads/thread_block.h"
#include "timing/caller_sums.h"
#include "timing/missing_exits.h"
#include "timing/thread_sums.h"

namespace tprt {

// --- histograms --------------------------------------------------------------

// Counts the bucket that is due. `bucket` is due next.
static inline void exchangeDue(TimedTally &tally, uint64_t *bucket) {
  uint64_t *due = tally.due;
  __atomic_store_n(&tally.due, bucket, __ATOMIC_RELAXED);
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  add(*due, 1);
}

__attribute__((noinline)) static void
placeInNew(TimedTally &tally, FunctionTimes &times, uint32_t bucket) {
  uint32_t piece =
      tally.run.add(tally.group->pool, times.pieces[bucket / kPieceBuckets]);
  if (!piece)
    return add(times.unplaced, 1);
  exchangeDue(tally, &tally.pieces[piece][bucket % kPieceBuckets]);
}

static inline void place(TimedTally &tally, FunctionTimes &times,
                         uint64_t ticks) {
  if (!tally.pieces)
    return;
  uint32_t bucket = bucketOf(ticks);
  uint32_t piece = times.pieces[bucket / kPieceBuckets];
  if (__builtin_expect(!piece, 0))
    return placeInNew(tally, times, bucket);
  exchangeDue(tally, &tally.pieces[piece][bucket % kPieceBuckets]);
}

static uint64_t stackOf(const tprt_regs *regs) {
  return reinterpret_cast<uint64_t>(tprt_regs_stack(regs));
}

// --- calls -------------------------------------------------------------------

// The groups whose handler this is. A handler of its own for callers keeps the
// other as short as it is.
enum class Sums { OfFunction, OfCaller };

template <Sums Of> static inline FunctionTimes &ownOf(FunctionTimes &times) {
  return Of == Sums::OfCaller ? ownTimes(times) : times;
}

// Ends the innermost call.
template <Sums Of>
static inline void close(TimedTally &tally, TimedCall *call, uint64_t now) {
  tally.open.setTop(call - 1);
  // The counters of two processors may differ by a little.
  uint64_t ticks = now > call->start ? now - call->start : 0;
  FunctionTimes &times = *call->times;
  call[-1].inside += ticks;
  add(times.calls, 1);
  add(times.self, ticks > call->inside ? ticks - call->inside : 0);
  if (ticks > times.longest)
    __atomic_store_n(&times.longest, ticks, __ATOMIC_RELAXED);
  FunctionTimes &own = ownOf<Of>(times);
  if (own.outermost == call) {
    add(times.total, ticks);
    own.outermost = nullptr;
  }
  place(tally, times, ticks);
}

// The innermost call was left. When it ended is not known, so it counts without
// a time. The time of calls inside of it is not time of its caller alone.
static void cut(TimedTally &tally) {
  TimedCall *call = tally.open.top;
  FunctionTimes &times = *call->times;
  tally.open.setTop(call - 1);
  call[-1].inside += call->inside;
  __atomic_store_n(&times.cut, times.cut + 1, __ATOMIC_RELAXED);
  FunctionTimes &own = ownOf<Sums::OfCaller>(times);
  if (own.outermost == call)
    own.outermost = nullptr;
  add(times.calls, 1);
}

template <Sums Of>
static inline void begin(TimedTally &tally, FunctionTimes &times,
                         const tprt_site *site, const tprt_regs *regs) {
  TimedCall *outer = tally.open.top, *call = outer + 1;
  call->stack = stackOf(regs);
  call->function = functionOf(*site);
  call->inside = 0;
  call->times =
      Of == Sums::OfCaller
          ? &timesOfCaller(tally, times, tprt_regs_return_address(regs))
          : &times;
  TimedCall *outermost = times.outermost;
  if (!(outermost && outermost <= outer &&
        &ownOf<Of>(*outermost->times) == &times))
    __atomic_store_n(&times.outermost, call, __ATOMIC_RELAXED);
  // The counter is read last here and first at the exit. So most of what the
  // handler itself takes belongs to the caller.
  call->start = readTicks();
  tally.open.setTop(call);
}

// An entry at which something is missing: the tally, the function's sums, or
// the end of a call that was left.
__attribute__((noinline)) static void enterSlowly(const TimedLink &link,
                                                  const tprt_site *site,
                                                  const tprt_regs *regs) {
  TimedTally *tally = findTally(*link.group);
  if (!tally) {
    __atomic_fetch_add(&link.group->lost, 1, __ATOMIC_RELAXED);
    return;
  }
  uint32_t index = indexOf(site);
  FunctionTimes *chunk = tally->chunks[index / kChunkSites];
  if (!chunk && !(chunk = addChunk(*tally, index)))
    return add(tally->lost, 1);
  FunctionTimes &times = chunk[index % kChunkSites];
  if (!times.link) {
    if (site->module()->isCode &&
        !__atomic_load_n(&link.attached, __ATOMIC_ACQUIRE))
      return;
    __atomic_store_n(&times.link, hasExit(site) ? link.number : kUntimed,
                     __ATOMIC_RELAXED);
  }
  if (times.link != link.number)
    return;
  uint64_t stack = stackOf(regs);
  tally->open.cutLeft(stack, [&] { cut(*tally); });
  if (tally->open.isFull())
    return add(tally->lost, 1);
  if (link.group->byCallers)
    begin<Sums::OfCaller>(*tally, times, site, regs);
  else
    begin<Sums::OfFunction>(*tally, times, site, regs);
}

template <Sums Of>
static inline void enter(const TimedLink &link, const tprt_site *site,
                         const tprt_regs *regs) {
  TimedTally *tally = knownTally(link);
  if (__builtin_expect(!tally, 0))
    return enterSlowly(link, site, regs);
  uint32_t index = indexOf(site);
  FunctionTimes *chunk = tally->chunks[index / kChunkSites];
  if (__builtin_expect(!chunk, 0))
    return enterSlowly(link, site, regs);
  FunctionTimes &times = chunk[index % kChunkSites];
  if (__builtin_expect(times.link != link.number ||
                           tally->open.top->stack <= stackOf(regs) ||
                           tally->open.isFull(),
                       0))
    return enterSlowly(link, site, regs);
  begin<Of>(*tally, times, site, regs);
}

// Marks calls at this position as ended, in all tallies of the group.
static void disownCalls(TimedGroup &group, uint64_t stack) {
  for (TimedTally *r = __atomic_load_n(&group.tallies, __ATOMIC_ACQUIRE); r;
       r = r->next)
    r->open.disown(stack);
}

// An exit that does not belong to the innermost call.
__attribute__((noinline)) static void leaveOther(const TimedLink &link,
                                                 const tprt_site *site,
                                                 uint64_t stack, uint64_t now) {
  TimedTally *tally = findTally(*link.group);
  if (!tally)
    return disownCalls(*link.group, stack);
  uint64_t function = functionOf(*site);
  // The hit's first link has ended the call, and this is another one.
  const TimedCall &last = tally->open.top[1];
  if (last.stack == stack && last.function == function &&
      ownTimes(*last.times).link != link.number)
    return;
  if (tally->open.wasLeftOut(stack))
    return;
  TimedCall *call = tally->open.cutInside(
      stack, [&](const TimedCall &of) { return of.function == function; },
      [&] { cut(*tally); });
  if (call)
    close<Sums::OfCaller>(*tally, call, now);
  else
    disownCalls(*link.group, stack);
}

template <Sums Of>
static inline void timeHit(const tprt_event *event, const tprt_regs *regs,
                           void *data) {
  const auto &link = *static_cast<const TimedLink *>(data);
  const tprt_site *site = event->site;
  if (event->kind == TPRT_KIND_ENTRY)
    return enter<Of>(link, site, regs);
  uint64_t now = readTicks(), stack = stackOf(regs);
  TimedTally *tally = knownTally(link);
  if (__builtin_expect(tally != nullptr, 1)) {
    TimedCall *call = tally->open.top;
    if (__builtin_expect(
            call->stack == stack && call->function == functionOf(*site), 1))
      return close<Of>(*tally, call, now);
  }
  leaveOther(link, site, stack, now);
}

void timeCall(const tprt_event *event, const tprt_regs *regs, void *data) {
  timeHit<Sums::OfFunction>(event, regs, data);
}

void timeCallOfCaller(const tprt_event *event, const tprt_regs *regs,
                      void *data) {
  timeHit<Sums::OfCaller>(event, regs, data);
}

} // namespace tprt
