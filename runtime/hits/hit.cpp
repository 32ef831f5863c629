// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The slow path of a hit, and the dispatcher of action lists, which is called
// like a handler. The architecture's trampoline calls the slow path after it
// has saved all of the program's state except errno. The slow path handles a
// thread's first hit, a raised guard, an unaligned stack, wide vectors, and a
// redirection among other actions. Runs inside hits, also in signal handlers:
// async-signal-safe.
#include "hits/hit.h"
#include "actions/action_list.h"
#include "actions/probe.h"
#include "actions/record_hook.h"
#include "hits/quiesce.h"
#include "modules/module.h"
#include "sites/arch.h"
#include "sites/site.h"
#include "text/stack_overflow.h"
#include "threads/thread_block.h"

namespace tprt {

namespace {
// What tprt_event_time() reads.
struct TimedEvent {
  tprt_event event;
  uint64_t time;
};
static_assert(sizeof(TimedEvent) == 24 && sizeof(tprt_event) == 16);
} // namespace

void dispatch(const tprt_event *event, const tprt_regs *regs, void *data) {
  const auto *actionList = static_cast<const ActionList *>(data);
  uint32_t site = indexOf(event->site);
  // Each site has a single counter, even if several probes read that counter.
  if (actionList->counts)
    countInHandler(site);
  if (!actionList->calls)
    return;
  uint64_t position = positionAt(regs);
  Thread *self = knownThread();
  bool moved = false;
  // An earlier handler of this hit may have changed them.
  const uint32_t inFrame =
      actionList->mode != kSaveGeneral ? kVectorsInFrame : 0;
  beginDispatch(self, position);
  for (uint32_t i = 0; i < actionList->count; ++i) {
    const ActionListEntry &entry = actionList->entries[i];
    if (!entry.handler)
      continue;
    self = resumeSection(position, &moved);
    if (!self)
      return missHit(self);
    // Either the detacher sees which probe's handler this is, or this thread
    // sees that the probe is over.
    noteHandler(self, entry.probe);
    if (isOver(*entry.probe))
      continue;
    bool lost = false;
    if (entry.every > 1 && !isNthHit(self->numbers, entry.everyKey, site,
                                     entry.every, position, &lost)) {
      if (lost)
        missHit(self);
      continue;
    }
    TimedEvent own = {*event, 0};
    own.event.flags |= entry.flags | inFrame;
    if (entry.flags & TPRT_EVENT_TIMED)
      own.time = readTicks();
    entry.handler(&own.event, regs, entry.data);
  }
  if (moved)
    forgetSection(position);
}

const char ownHandlersData = 0;

// Whether a hit without a call of the entry's handler counts as missed. The
// handlers that guard traps are libtprt's own; their hits are never counted as
// missed.
static bool isMissed(const ActionListEntry &entry) {
  return entry.handler && entry.data != &ownHandlersData;
}

static bool isAnyMissed(const ActionList *actionList) {
  for (uint32_t i = 0; i < actionList->count; ++i)
    if (isMissed(actionList->entries[i]))
      return true;
  return false;
}

// Reports a hit whose handlers are not called. If one of them is the
// recorder's, the recorder keeps the event or counts it as lost. For all other
// handlers, the hit counts as missed.
static void missHandlers(Thread *self, const ActionList *actionList,
                         const tprt_event *event, const tprt_regs *regs) {
  bool missed = false;
  for (uint32_t i = 0; i < actionList->count; ++i) {
    const ActionListEntry &entry = actionList->entries[i];
    if (isRecorders(entry.handler) && entry.every <= 1)
      recorder->nested(event, regs, entry.data);
    else
      missed |= isMissed(entry);
  }
  if (missed)
    missHit(self);
}

// A hit whose handlers are not called. Counting and redirecting need no call,
// so they still happen. While this thread shows a position in readsActionList,
// the action list is not freed.
static const void *miss(Thread *self, const StubData *data,
                        const tprt_regs *regs) {
  auto here = reinterpret_cast<uint64_t>(__builtin_frame_address(0));
  bool begun = self && self->readsActionList.begin(here);
  if (!self)
    beginReading();
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  const ActionList *actionList =
      __atomic_load_n(&data->actionList, __ATOMIC_ACQUIRE);
  if (actionList->calls)
    missHandlers(self, actionList, &siteOf(*data)->event, regs);
  if (actionList->counts)
    countHit(indexOf(siteOf(*data)));
  const void *redirect = actionList->redirect;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  if (begun)
    self->readsActionList.end();
  if (!self)
    endReading();
  return redirect;
}

void endSection(uint64_t position) {
  Thread *self = knownThread();
  if (self && isSectionAt(self->guard, position))
    __atomic_store_n(&self->guard, 0, __ATOMIC_RELEASE);
  else
    forgetSection(position);
}

// The stack position at which this thread runs code of this library inside a
// hit. The value is 0 if the thread runs no such code, or if a handler runs.
// That code calls functions of the C library, which may have probes
// (TPRT_SELECT_CODE). A hit of such a function is only counted; it calls no
// handler and no function of the C library.
//
// The word is a position, because a signal handler may leave that code by
// siglongjmp or by another context. The word is then not cleared, but the next
// hit at the same or a higher position sees that the word is stale. A signal
// handler on an alternate stack at a higher address may clear the word too
// early. A hit of a function that this library calls is then delivered like a
// hit of the program; code inside that hit has its own position.
static thread_local uint64_t insideAt TPRT_IN_HITS;

static bool isInside(uint64_t position) { return position < insideAt; }

// A value above all positions: all hits of the thread are treated as hits
// inside this library, and are not counted.
static constexpr uint64_t kHidden = UINT64_MAX;

// A thread without a block uses the slow path at each hit.
void hideThread(bool hides) {
  if (hides)
    leaveBlock();
  insideAt = hides ? kHidden : 0;
}

namespace {
struct Inside {
  explicit Inside(uint64_t position) { set(position); }
  ~Inside() { set(0); }
  static void set(uint64_t position) {
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    insideAt = position;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
  }
};
} // namespace

// Whether the hit is in a signal handler that interrupted this library, and can
// be recorded. The C library's functions have no sleds, but a program may have
// its own mmap with a sled, for example. This library calls such an mmap only
// at a thread's first events, while the thread has no block. Later, the
// recorder calls no such function.
static bool mayBeRecorded(const tprt_site &site, const Thread *self) {
  return self && __tprt_record.next && !site.module()->isCode;
}

// A hit of a function that this library calls inside another hit, or that a
// signal handler calls meanwhile. errno and the handlers belong to the outer
// hit. `regs` is nullptr if the hit only counts.
static const void *hitInside(const StubData *data, const tprt_regs *regs) {
  Thread *self = knownThread();
  beginReading();
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  const ActionList *actionList =
      __atomic_load_n(&data->actionList, __ATOMIC_ACQUIRE);
  const tprt_site *site = siteOf(*data);
  const bool hidden = insideAt == kHidden;
  if (!hidden && actionList->calls && regs && mayBeRecorded(*site, self))
    missHandlers(self, actionList, &site->event, regs);
  else if (!hidden && actionList->calls && isAnyMissed(actionList))
    missHit(self);
  if (!hidden && actionList->counts)
    countHitOf(self, indexOf(site));
  const void *redirect = actionList->redirect;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  endReading();
  return redirect;
}

const void *deliver(const StubData *data, tprt_regs *regs) {
  uint64_t position = positionAt(regs);
  if (isInside(position))
    return hitInside(data, regs);
  Inside inside(position);
  KeptErrno kept;
  noticeProcess(false);
  Thread *self = currentThread();
  const void *redirect = nullptr;
  if (!self || (self->guard && guardHolds(self->guard, position))) {
    redirect = miss(self, data, regs);
  } else {
    if (self->guard)
      keepSection(self, reinterpret_cast<uint64_t>(__builtin_frame_address(0)),
                  position);
    // The guard is set before the action list is read, as in the trampoline.
    // The detacher's membarrier acts as the hardware fence here.
    __atomic_store_n(&self->guard, position, __ATOMIC_RELEASE);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    const ActionList *actionList =
        __atomic_load_n(&data->actionList, __ATOMIC_ACQUIRE);
    redirect = actionList->redirect;
    // This function may have called others that change them.
    tprt_event event = siteOf(*data)->event;
    event.flags |= kVectorsInFrame;
    Inside::set(0);
    self->setsErrno = false;
    actionList->handler(&event, regs, actionList->data);
    Inside::set(position);
    // The handler may have returned on another thread.
    if (knownThread() == self && self->setsErrno)
      kept.replace(self->handlerErrno);
    endSection(position);
  }
  return redirect;
}

// The handlers may have begun, and the dispatcher counts before it calls them.
void giveUpHit(const StubData *data, uint64_t position) {
  Thread *self = knownThread();
  const bool hidden = insideAt == kHidden;
  if (position) {
    uint64_t section = positionAt(reinterpret_cast<const void *>(position));
    if (insideAt == section)
      Inside::set(0);
    if (self && isSectionAt(self->guard, section))
      endSection(section);
  }
  beginReading();
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  const ActionList *actionList =
      __atomic_load_n(&data->actionList, __ATOMIC_ACQUIRE);
  if (!hidden && actionList->calls && isAnyMissed(actionList))
    missHit(self);
  if (!hidden && actionList->counts && !(position && actionList->calls))
    countHitOf(self, indexOf(siteOf(*data)));
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  endReading();
}

void giveUpSecondHit(const tprt_site &site, bool counts) {
  Thread *self = knownThread();
  if (counts)
    countHitOf(self, indexOf(&site));
  else
    missHit(self);
}

void countOnly(const StubData *data) {
  auto position = reinterpret_cast<uint64_t>(__builtin_frame_address(0));
  if (isInside(position)) {
    hitInside(data, nullptr);
    return;
  }
  Inside inside(position);
  KeptErrno kept;
  noticeProcess(false);
  countHit(indexOf(siteOf(*data)));
}

} // namespace tprt
