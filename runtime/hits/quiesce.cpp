// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Critical sections: threads in handlers; see quiesce.h. The functions that
// hits call are async-signal-safe; the others are called by a detach.
#include "hits/quiesce.h"
#include "actions/action_list.h"
#include "actions/probe.h"
#include "base/os_memory.h"
#include "base/os_text.h"
#include "base/os_thread.h"
#include "modules/module.h"
#include "sites/arch.h"
#include "text/stub_regions.h"
#include "threads/clock.h"
#include "threads/lock.h"

#include <string.h>

namespace tprt {

static constexpr size_t kFrameWords = (kFrameBelow + kFrameAbove) / 8;

static constexpr uint64_t positionOf(uint64_t section) {
  return section & ~uint64_t{kSectionBits};
}

// Whether the frame of the critical section overlaps the part of the stack,
// from `low` to `high`, that the calling thread now uses itself. The frame is
// intact as long as the critical section lasts.
static bool isOverwritten(uint64_t section, uint64_t low, uint64_t high) {
  uint64_t position = positionOf(section);
  return position < high && position + kFrameAbove > low;
}

// Keeps a critical section in `left`. A detacher sees the critical section in
// the guard or in `left`, because the detacher reads the guard first, and the
// guard is overwritten only after this function.
static void keep(Thread *self, uint64_t section) {
  uint64_t *place = nullptr;
  for (uint64_t &left : self->left) {
    uint64_t other = __atomic_load_n(&left, __ATOMIC_RELAXED);
    if (isSectionAt(other, section))
      return;
    place = other ? place : &left;
  }
  if (place)
    __atomic_store_n(place, section, __ATOMIC_RELEASE);
  else
    __atomic_store_n(&self->leftMore, true, __ATOMIC_RELEASE);
}

void keepSection(Thread *self, uint64_t low, uint64_t position) {
  uint64_t high = position + kFrameAbove;
  for (uint64_t &left : self->left) {
    uint64_t section = __atomic_load_n(&left, __ATOMIC_RELAXED);
    if (section && isOverwritten(section, low, high))
      __atomic_store_n(&left, 0, __ATOMIC_RELAXED);
  }
  if (!isOverwritten(self->guard, low, high))
    keep(self, self->guard);
}

static void forgetSectionIn(uint64_t &place, uint64_t position) {
  uint64_t section = __atomic_load_n(&place, __ATOMIC_ACQUIRE);
  while (isSectionAt(section, position) &&
         !__atomic_compare_exchange_n(&place, &section, 0, false,
                                      __ATOMIC_RELEASE, __ATOMIC_ACQUIRE)) {
  }
}

// The frame at this position belongs to the caller, so no other critical
// section is at this position. If another thread's block still shows this
// critical section, that thread can only replace it with another critical
// section.
void forgetSection(uint64_t position) {
  for (Thread *t = firstThread(); t; t = t->next) {
    forgetSectionIn(t->guard, position);
    for (uint64_t &left : t->left)
      forgetSectionIn(left, position);
  }
}

// If a detacher marks the guard between load and store, the mark is lost, and
// the detacher marks the guard again.
void beginDispatch(Thread *self, uint64_t position) {
  uint64_t guard = __atomic_load_n(&self->guard, __ATOMIC_RELAXED);
  noteHandler(self, nullptr);
  if (positionOf(guard) == positionOf(position))
    __atomic_store_n(&self->guard, guard | kDispatched, __ATOMIC_RELAXED);
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

// Until its end, the former thread's block still shows the critical section:
// freeRetired() may already have examined this thread, but not the former
// thread.
Thread *resumeSection(uint64_t position, bool *moved) {
  Thread *self = knownThread();
  if (!self)
    keepVectorsIn([&] { self = currentThread(); });
  if (!self || isSectionAt(self->guard, position))
    return self;
  if (self->guard)
    keep(self, self->guard);
  __atomic_store_n(&self->guard, position, __ATOMIC_RELEASE);
  beginDispatch(self, position);
  *moved = true;
  return self;
}

namespace {
enum class Frame {
  Overwritten, // the critical section is over
  Elsewhere,   // the critical section is at a site without the probe
  Here,        // the critical section is at one of the probe's sites
  Unknown
};
} // namespace

// The site whose stub has its data at this address, or nullptr if there is
// none.
static const tprt_site *siteAt(uint64_t data) {
  StubData copy;
  if (!data || data % alignof(StubData) || !peek(data, &copy, sizeof copy))
    return nullptr;
  uint64_t from = reinterpret_cast<uint64_t>(siteOf(copy)) -
                  reinterpret_cast<uint64_t>(sites);
  if (from % sizeof(tprt_site) || from / sizeof(tprt_site) >= siteCount)
    return nullptr;
  const tprt_site *site = sites + from / sizeof(tprt_site);
  if (!site->moduleNumber)
    return nullptr;
  uint32_t place = placeOf(*site);
  const StubRegion *region = regionAt(site->module(), place);
  return region && reinterpret_cast<uint64_t>(
                       &region->data[place - region->first]) == data
             ? site
             : nullptr;
}

static bool mayRunAt(const tprt_probe *probe, const tprt_site *site) {
  if (probe->strays)
    return true;
  for (uint32_t index : probe->sites)
    if (index == indexOf(site))
      return true;
  return false;
}

// Where the critical section is. If `probe` is nullptr, the result is only
// useful to find out whether the frame is overwritten.
static Frame lookAtFrame(uint64_t section, const tprt_probe *probe) {
  uint64_t words[kFrameWords];
  uint64_t position = positionOf(section);
  if (section & kOdd)
    return Frame::Unknown;
  // The frame was stored before the guard, and is visible here after this
  // barrier.
  synchroniseCores();
  bool whole = peek(position - kFrameBelow, words, sizeof words);
  if (!whole) {
    // The memory below the frame may be beyond the stack's end. If the memory
    // above the frame is gone, the stack is gone, unless peek() itself fails.
    uint64_t own;
    memset(words, 0, sizeof words);
    if (!peek(position, words + kFrameBelow / 8, kFrameAbove))
      return peek(reinterpret_cast<uint64_t>(&position), &own, sizeof own)
                 ? Frame::Overwritten
                 : Frame::Unknown;
  }
  FrameTraces traces = tracesIn(words, peek);
  for (uint64_t data : traces.data)
    if (const tprt_site *site = siteAt(data))
      return !probe || mayRunAt(probe, site) ? Frame::Here : Frame::Elsewhere;
  return traces.returns || !whole ? Frame::Unknown : Frame::Overwritten;
}

// Whether a critical section in a guard or in a block's `left` may be in the
// probe's handler.
static bool mayBeIn(uint64_t section, const tprt_probe *probe,
                    const tprt_probe *running) {
  if (section & kDispatched && running)
    return running == probe &&
           lookAtFrame(section, nullptr) != Frame::Overwritten;
  if (!(section & kDispatched) && !probe->direct)
    return false;
  Frame frame = lookAtFrame(section, probe);
  return frame == Frame::Here || frame == Frame::Unknown;
}

// Whether this is the marked guard after a store of the dispatcher has removed
// the mark. Such a store happens at most once in a critical section.
static bool hasLostMark(uint64_t now, uint64_t marked) {
  return marked && !(marked & kDispatched) &&
         now == ((marked | kDispatched) & ~uint64_t{kMarked});
}

// Marks the guard, so that a later critical section at the same position can be
// distinguished from this one. Returns the guard's new value, or 0 if there is
// no critical section. A critical section keeps the time of its first mark,
// even if the mark was lost. (A later critical section at the same position may
// be mistaken for this one, and then seems older than it is. This is harmless.)
static uint64_t markGuard(Thread *thread) {
  uint64_t section = __atomic_load_n(&thread->guard, __ATOMIC_ACQUIRE);
  while (section && !(section & kMarked)) {
    uint64_t marked = section | kMarked;
    bool isKnown = hasLostMark(section, thread->marked);
    if (!__atomic_compare_exchange_n(&thread->guard, &section, marked, false,
                                     __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
      continue;
    thread->marked = section = marked;
    if (!isKnown)
      thread->markedAt = ++actionListTime;
  }
  return section;
}

static bool isSameSection(uint64_t now, uint64_t marked) {
  bool isDispatched = now == (marked | kDispatched);
  return now == marked || isDispatched || hasLostMark(now, marked);
}

// Examines a thread once. Returns whether the thread may be inside the probe's
// handler. `seen` is the guard after its first mark, and becomes 0 once that
// critical section is over.
static bool mayBeInside(Thread *thread, const tprt_probe *probe,
                        uint64_t &seen) {
  if (seen) {
    uint64_t now = __atomic_load_n(&thread->guard, __ATOMIC_ACQUIRE);
    if (now != seen)
      seen = isSameSection(now, seen) ? markGuard(thread) : 0;
  }
  if (seen) {
    const tprt_probe *running =
        __atomic_load_n(&thread->running, __ATOMIC_ACQUIRE);
    if (!(seen & kDispatched) || running) {
      if (mayBeIn(seen, probe, running))
        return true;
    }
    // Otherwise, the dispatcher is between two handlers, and will see that the
    // probe is over.
  }
  if (__atomic_load_n(&thread->leftMore, __ATOMIC_ACQUIRE))
    return true;
  for (uint64_t &left : thread->left)
    if (uint64_t section = __atomic_load_n(&left, __ATOMIC_ACQUIRE)) {
      if (mayBeIn(section, probe, nullptr))
        return true;
    }
  return false;
}

// Clears an item of `left` if its critical section is over. Returns the item
// afterwards.
static uint64_t dropIfOver(uint64_t &left) {
  uint64_t section = __atomic_load_n(&left, __ATOMIC_ACQUIRE);
  if (section && lookAtFrame(section, nullptr) == Frame::Overwritten &&
      __atomic_compare_exchange_n(&left, &section, 0, false, __ATOMIC_RELAXED,
                                  __ATOMIC_RELAXED))
    return 0;
  return section;
}

// Drops the calling thread's own critical sections from `low` to `high`: the
// caller's frames use this part of the stack now, so no handler is there.
static void forgetOwnSections(Thread *self, uint64_t low, uint64_t high) {
  self->readsActionList.endIfBetween(low, high);
  if (self->guard && isOverwritten(self->guard, low, high))
    __atomic_store_n(&self->guard, 0, __ATOMIC_RELEASE);
  for (uint64_t &left : self->left)
    if (left && isOverwritten(left, low, high))
      __atomic_store_n(&left, 0, __ATOMIC_RELAXED);
}

// Waits for one thread. The thread may end meanwhile, by pthread_exit or by a
// raw exit system call in the handler.
static bool waitForThread(Thread *thread, const tprt_probe *probe,
                          uint64_t deadline) {
  uint64_t seen;
  {
    Lock lock;
    seen = markGuard(thread);
  }
  // Most handlers are short, and a check of the frame needs several system
  // calls.
  for (unsigned i = 0; i < 256 && seen; ++i)
    if (!isSameSection(__atomic_load_n(&thread->guard, __ATOMIC_ACQUIRE), seen))
      seen = 0;
  for (unsigned round = 0;; ++round) {
    {
      Lock lock;
      // If the probe is gone, another thread's detach has seen that no thread
      // is in its handler.
      if (probe->state == ProbeState::Gone || !mayBeInside(thread, probe, seen))
        return true;
    }
    if (thread == knownThread())
      return false;
    if (round < 16) {
      yieldThread();
      continue;
    }
    if (hasEnded(thread))
      return true;
    if (nanoseconds() >= deadline)
      return false;
    sleepFor(50'000);
  }
}

bool waitForHandlers(const tprt_probe *probe, uint64_t caller, int timeoutMs) {
  if (probe->action.kind != TPRT_ACTION_CALL)
    return true;
  uint64_t deadline = timeoutMs < 0
                          ? UINT64_MAX
                          : nanoseconds() + uint64_t{1'000'000} * timeoutMs;
  if (Thread *self = knownThread()) {
    volatile char used[1024];
    used[0] = 0;
    forgetOwnSections(self, reinterpret_cast<uint64_t>(&used[0]), caller);
  }
  for (Thread *t = firstThread(); t; t = t->next)
    if (!waitForThread(t, probe, deadline))
      return false;
  return true;
}

// The thread stores readsActionList before it loads an action list (miss() in
// hit.cpp). The detach stored the new action list and synchronized the cores
// before this function reads readsActionList. So if a thread shows no position
// here, that thread loads the new action list.
//
// Consecutive hits of a thread at the same stack depth have the same position.
// So the position is read many times before this function begins to sleep.
bool waitForReaders(int timeoutMs) {
  uint64_t deadline = nanoseconds() + uint64_t{1'000'000} * timeoutMs;
  auto pause = [deadline](unsigned round) {
    if (round % 4096 == 4095)
      sleepFor(50'000);
    return nanoseconds() < deadline;
  };
  const Thread *self = knownThread();
  for (unsigned round = 0; countReaders(); ++round)
    if (!pause(round))
      return false;
  for (Thread *t = firstThread(); t; t = t->next) {
    uint64_t first = t->readsActionList.where();
    for (unsigned round = 0;
         first && t != self && t->readsActionList.where() == first; ++round)
      if (!pause(round))
        return hasEnded(t);
  }
  return true;
}

uint64_t oldestSection() {
  if (countReaders())
    return 0;
  uint64_t oldest = UINT64_MAX;
  for (Thread *t = firstThread(); t; t = t->next) {
    // The guard comes first, because keepSection() moves a critical section
    // from the guard to `left`.
    if (markGuard(t) && t->markedAt < oldest)
      oldest = t->markedAt;
    if (t->readsActionList.isUnderWay() ||
        __atomic_load_n(&t->leftMore, __ATOMIC_ACQUIRE))
      return 0;
    for (uint64_t &left : t->left)
      if (dropIfOver(left))
        return 0;
  }
  return oldest;
}

} // namespace tprt
