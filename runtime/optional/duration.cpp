// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Durations: a handler on entries and exits, and per thread a stack of open
// calls for each of them. The handler runs inside hits and is
// async-signal-safe; it can't be interrupted by itself, as hits inside a
// handler are not delivered.
//
// An open call is known by where its return address lies: the stack pointer at
// the entry is that at the exit (psABI x86-64, 3.2.2; AAPCS64, 6.2.3). Calls
// that lie below the current one on the same stack were left by an exception or
// a longjmp; a call that ends on another thread than it began on is disowned
// there.
#include "tprt/duration.h"
#include "core/memory.h"
#include "core/probe.h"
#include "core/sites.h"
#include "core/status.h"
#include "core/threads.h"

struct tprt_durations {
  tprt_duration_handler handler;
  void *data;
  unsigned slot; // its stack in each thread
  tprt_probe *probe;
  uint64_t number; // no other has it
};

namespace tprt {

static_assert(TPRT_RECORD_TAIL_EXIT - TPRT_RECORD_EXIT == TPRT_DURATION_TAIL);
static_assert(kMostDurations == 8, "or the text below is wrong");

static tprt_durations *inUse[kMostDurations]; // by slot; written under the lock
static uint64_t lost;

// Whether it is one that was attached and not detached, wherever it points to.
// Async-signal-safe.
static bool isDurations(const tprt_durations *durations) {
  for (tprt_durations *const &one : inUse)
    if (durations && __atomic_load_n(&one, __ATOMIC_ACQUIRE) == durations)
      return true;
  return false;
}

// The calling thread's stack for these durations.
static OpenCalls *stackOf(const tprt_durations &durations) {
  Thread *thread = currentThread();
  if (!thread)
    return nullptr;
  OpenCalls *&open = thread->open[durations.slot];
  if (!open)
    open = static_cast<OpenCalls *>(reservePages(sizeof(OpenCalls)));
  return open;
}

// Takes the topmost call off and tells of it.
static void close(OpenCalls &open, const tprt_durations &durations,
                  uint64_t now, uint32_t flags) {
  const OpenCall &call = open.calls[--open.count];
  tprt_duration duration = {call.entry, call.start, now - call.start,
                            open.count, flags};
  durations.handler(&duration, durations.data);
}

static void followCall(const tprt_event *event, const tprt_regs *regs,
                       void *data) {
  const auto &durations = *static_cast<const tprt_durations *>(data);
  OpenCalls *open = stackOf(durations);
  if (!open)
    return;
  auto stack = reinterpret_cast<uint64_t>(tprt_regs_stack(regs));
  // tprt_event_time(), of an event that is known to have one.
  uint64_t now = *reinterpret_cast<const uint64_t *>(event + 1);
  bool entry = event->event == TPRT_RECORD_ENTRY;
  // At an entry the calls that were left since; at an exit those above its own.
  // guardStands() is a system call: only calls that lie below are worth it.
  // (One on an alternate stack above, left by longjmp, is told of later for
  // that.)
  auto goesOn = [&](const OpenCall &call) {
    return entry ? call.stack > stack || guardStands(call.stack, stack)
                 : call.stack == stack &&
                       call.entry->function() == event->site->function();
  };
  uint32_t keep = open->count;
  while (keep && !goesOn(open->calls[keep - 1]))
    --keep;
  if (!entry && !keep) {
    // Entered before the durations were attached, or lost, or on another
    // thread, which would take it for its next call at this place.
    disownCalls(durations.slot, stack);
    return;
  }
  while (open->count > keep)
    close(*open, durations, now, TPRT_DURATION_ABANDONED);
  if (!entry)
    close(*open, durations, now, event->event - TPRT_RECORD_EXIT);
  else if (keep == kMostOpen)
    __atomic_fetch_add(&lost, 1, __ATOMIC_RELAXED);
  else
    open->calls[open->count++] = {stack, event->site, now};
}

static tprt_durations *make() {
  Lock lock;
  unsigned slot = 0;
  while (slot < kMostDurations && inUse[slot])
    ++slot;
  auto *made =
      slot < kMostDurations
          ? static_cast<tprt_durations *>(allocateSmall(sizeof(tprt_durations)))
          : nullptr;
  if (made) {
    made->slot = slot;
    static uint64_t count;
    made->number = ++count;
    forgetCalls(slot); // of those that had it before
    __atomic_store_n(&inUse[slot], made, __ATOMIC_RELEASE);
  }
  return made;
}

static void unmake(tprt_durations *durations, uint64_t number) {
  Lock lock;
  if (!isDurations(durations) || durations->number != number)
    return; // another thread repeated the call as well
  __atomic_store_n(&inUse[durations->slot], nullptr, __ATOMIC_RELEASE);
  freeSmall(durations, sizeof(tprt_durations));
}

} // namespace tprt

using namespace tprt;

tprt_status tprt_durations_attach(const tprt_selector *selector,
                                  tprt_duration_handler handler, void *data,
                                  uint32_t flags, tprt_durations **durations,
                                  tprt_result *result) {
  if (durations)
    *durations = nullptr;
  if (!handler || !durations ||
      flags & ~uint32_t{TPRT_HANDLER_GENERAL_REGS_ONLY})
    return fail(
        TPRT_STATUS_INVALID_ARGUMENT,
        "durations need a handler, a place for themselves, and known flags");
  pthread_testcancel(); // as tprt_probe_attach()
  CancelDisabled uncancelled;
  tprt_durations *made = make();
  if (!made)
    return fail(
        TPRT_STATUS_NO_MEMORY,
        "no memory for durations, or 8 of them are attached: detach one");
  made->handler = handler;
  made->data = data;
  static const tprt_selector all{};
  tprt_selector both = selector ? *selector : all;
  both.events = TPRT_EVENTS_ALL;
  tprt_action action{};
  action.flags = TPRT_HANDLER_TIME | flags;
  action.handler = followCall;
  action.data = made;
  tprt_status status = tprt_probe_attach(&both, &action, &made->probe, result);
  if (made->probe)
    *durations = made;
  else
    unmake(made, made->number);
  return status;
}

tprt_status tprt_durations_detach(tprt_durations *durations, int timeoutMs) {
  CancelDisabled uncancelled;
  // What is not one becomes what detach refuses.
  tprt_probe *probe = nullptr;
  uint64_t number = 0;
  if (!insideHandler()) {
    Lock lock;
    if (isDurations(durations)) {
      probe = durations->probe;
      number = durations->number;
    }
    // Another thread may detach the same durations now. No later probe comes to
    // lie where this one is, which would be detached in its place.
    if (probe)
      ++probe->waiters;
  }
  tprt_status status = tprt_probe_detach(probe, timeoutMs);
  if (probe) {
    Lock lock;
    --probe->waiters;
    releaseProbe(probe);
  }
  if (status == TPRT_STATUS_OK)
    unmake(durations, number);
  return status;
}

uint32_t tprt_durations_depth(const tprt_durations *durations) {
  const Thread *thread = isDurations(durations) ? currentThread() : nullptr;
  if (!thread)
    return 0;
  const OpenCalls *open = thread->open[durations->slot];
  return open ? open->count : 0;
}

uint64_t tprt_durations_lost() {
  return __atomic_load_n(&lost, __ATOMIC_RELAXED);
}
