// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measures durations of calls (tprt/duration.h). A duration probe is a handler
// on entries and exits. It runs in hits, on any thread, and is
// async-signal-safe. The list of a thread's calls is the timer's
// (shadow_stack.h).
//
// A group of the timer (timed_groups.h) does not measure durations, because
// what comes after a call's end differs: here the program's handler is called,
// with the arguments that the call had. And a thread's lists stay after a
// detach, while a group's are freed: tprt_duration_probe_depth() may be called
// with any pointer while another thread detaches.
#include "timing/duration_probe.h"
#include "actions/probe.h"
#include "base/cancel.h"
#include "base/os_memory.h"
#include "base/os_thread.h"
#include "base/page_size.h"
#include "base/small_alloc.h"
#include "probes/api.h"
#include "select/select.h"
#include "threads/lock.h"
#include "threads/status.h"
#include "threads/thread_block.h"
#include "timing/missing_exits.h"
#include "tprt/duration.h"

#include <errno.h>

struct tprt_duration_probe {
  tprt_duration_handler handler;
  void *data;
  unsigned slot; // the number of its list in each thread
  tprt_probe *probe;
  uint64_t number; // of this probe alone, also when its memory is used again
};

namespace tprt {

static_assert(TPRT_KIND_TAIL_EXIT - TPRT_KIND_EXIT == TPRT_DURATION_TAIL);
static_assert(kMostDurations == 8, "or the text below is wrong");

// The duration probes that are attached, by slot. Written under the lock.
static tprt_duration_probe *inUse[kMostDurations];
// Calls that were not followed, as too many were open.
static uint64_t lost;

// Whether `durations` is a probe that was attached and not detached. The
// pointer may be any value; it is only compared. Async-signal-safe.
static bool isDurations(const tprt_duration_probe *durations) {
  for (tprt_duration_probe *const &one : inUse)
    if (durations && __atomic_load_n(&one, __ATOMIC_ACQUIRE) == durations)
      return true;
  return false;
}

static OpenCalls *&openOf(Thread *thread, unsigned slot) {
  return stateOf<ThreadDurations>(thread, durationsComponent).open[slot];
}

// A new thread takes over this thread block. Calls that the block's last thread
// left open are forgotten.
void beginThreadDurations(void *state) {
  for (OpenCalls *open : static_cast<ThreadDurations *>(state)->open)
    if (open)
      open->setTop(open->calls);
}

// Empties all threads' lists of this slot. No probe uses the slot now.
static void forgetCalls(unsigned slot) {
  for (Thread *t = firstThread(); t; t = t->next)
    if (OpenCalls *open = openOf(t, slot))
      open->setTop(open->calls);
}

// Marks calls at the stack position `stack` as ended, in all threads' lists of
// this slot.
static void disownCalls(unsigned slot, uint64_t stack) {
  for (Thread *t = firstThread(); t; t = t->next)
    if (OpenCalls *open = openOf(t, slot))
      open->disown(stack);
}

// The calling thread's list for this probe, or nullptr if there is no memory.
static OpenCalls *stackOf(const tprt_duration_probe &durations) {
  Thread *thread = currentThread();
  if (!thread)
    return nullptr;
  OpenCalls *&open = openOf(thread, durations.slot);
  if (!open) {
    int saved = errno;
    auto *made =
        static_cast<OpenCalls *>(reservePages(roundToPages(sizeof(OpenCalls))));
    errno = saved;
    if (!made)
      return nullptr;
    made->init();
    __atomic_store_n(&open, made, __ATOMIC_RELEASE);
  }
  return open;
}

// Removes the last call from the list and reports it.
static void close(OpenCalls &open, const tprt_duration_probe &durations,
                  uint64_t now, uint32_t flags) {
  const OpenCall &call = *open.top;
  open.setTop(open.top - 1);
  tprt_duration duration = {call.entry,   call.start, now - call.start,
                            open.depth(), flags,      call.arguments};
  durations.handler(&duration, durations.data);
}

static void begin(OpenCalls &open, uint64_t stack, const tprt_site *entry,
                  uint64_t start, const tprt_regs *regs) {
  OpenCall *call = open.top + 1;
  call->stack = stack;
  call->entry = entry;
  call->start = start;
  for (unsigned i = 0; i < TPRT_ARGUMENT_REGISTERS; ++i)
    call->arguments[i] = tprt_regs_argument(regs, i);
  open.setTop(call);
}

static void followCall(const tprt_event *event, const tprt_regs *regs,
                       void *data) {
  const auto &durations = *static_cast<const tprt_duration_probe *>(data);
  OpenCalls *open = stackOf(durations);
  if (!open)
    return;
  auto stack = reinterpret_cast<uint64_t>(tprt_regs_stack(regs));
  // This is tprt_event_time() for an event that is known to have a time.
  uint64_t now = *reinterpret_cast<const uint64_t *>(event + 1);
  auto cut = [&] { close(*open, durations, now, TPRT_DURATION_ABANDONED); };
  if (event->kind == TPRT_KIND_ENTRY) {
    open->cutLeft(stack, cut);
    if (open->isFull())
      __atomic_fetch_add(&lost, 1, __ATOMIC_RELAXED);
    else
      begin(*open, stack, event->site, now, regs);
    return;
  }
  if (open->wasLeftOut(stack))
    return;
  auto isIts = [&](const OpenCall &call) {
    return call.entry->function() == event->site->function();
  };
  if (open->cutInside(stack, isIts, cut))
    close(*open, durations, now, event->kind - TPRT_KIND_EXIT);
  else
    disownCalls(durations.slot, stack);
}

// Makes a duration probe with a free slot. Threads keep their lists, so the
// probe may get lists that an earlier one has left.
static tprt_duration_probe *make() {
  Lock lock;
  unsigned slot = 0;
  while (slot < kMostDurations && inUse[slot])
    ++slot;
  auto *made = slot < kMostDurations
                   ? static_cast<tprt_duration_probe *>(
                         allocateSmall(sizeof(tprt_duration_probe)))
                   : nullptr;
  if (made) {
    made->slot = slot;
    static uint64_t count;
    made->number = ++count;
    forgetCalls(slot); // those of probes that had the slot before
    __atomic_store_n(&inUse[slot], made, __ATOMIC_RELEASE);
  }
  return made;
}

static void unmake(tprt_duration_probe *durations, uint64_t number) {
  Lock lock;
  if (!isDurations(durations) || durations->number != number)
    return; // another thread has repeated the call and was first
  __atomic_store_n(&inUse[durations->slot], nullptr, __ATOMIC_RELEASE);
  freeSmall(durations, sizeof(tprt_duration_probe));
}

static constexpr char kCut[] = "end as abandoned ones";

// Attaches the handler above to entries and exits.
static tprt_status attachTo(const tprt_selector *selector,
                            tprt_duration_probe *durations, uint32_t flags,
                            tprt_probe **probe, tprt_result &result,
                            bool inside) {
  static const tprt_selector all{};
  tprt_selector both = selector ? *selector : all;
  both.kinds = TPRT_KIND_SET_ALL;
  tprt_action action{};
  action.flags = TPRT_HANDLER_TIME | flags;
  action.handler = followCall;
  action.data = durations;
  return attach(&both, &action, probe, result, inside);
}

static tprt_status attachDurations(const tprt_selector *selector,
                                   tprt_duration_handler handler, void *data,
                                   uint32_t flags, tprt_duration_probe **probe,
                                   tprt_result &result, bool inside) {
  if (!handler || !probe || flags & ~uint32_t{TPRT_HANDLER_GENERAL_REGS_ONLY})
    return fail(TPRT_STATUS_INVALID_ARGUMENT,
                "a duration probe needs a handler, a place to store the probe, "
                "and known flags");
  // Both ends of a call are known by the stack, which is another one there.
  if (selector && selector->flags & TPRT_SELECT_PROFILERS)
    return fail(
        TPRT_STATUS_INVALID_ARGUMENT,
        "calls of profilers can't time a function: use TPRT_SELECT_CODE");
  testCancel(); // as tprt_probe_attach()
  CancelDisabled uncancelled;
  tprt_duration_probe *made = make();
  if (!made)
    return fail(TPRT_STATUS_NO_MEMORY,
                "no memory for a duration probe, or 8 of them are attached: "
                "detach one");
  made->handler = handler;
  made->data = data;
  tprt_status status =
      attachTo(selector, made, flags, &made->probe, result, inside);
  if (made->probe)
    *probe = made;
  else
    unmake(made, made->number);
  return status == TPRT_STATUS_OK ? explainWithoutExits(made->probe, kCut)
                                  : status;
}

} // namespace tprt

using namespace tprt;

tprt_status tprt_duration_probe_attach_sized(const tprt_layout *layout,
                                             const tprt_selector *selector,
                                             tprt_duration_handler handler,
                                             void *data, uint32_t flags,
                                             tprt_duration_probe **probe,
                                             tprt_result *result) {
  if (probe)
    *probe = nullptr;
  tprt_status status = refuseCaller(layout);
  if (status != TPRT_STATUS_OK)
    return status;
  tprt_result out{};
  Taken<tprt_selector> which(selector, layout->selector);
  status = attachDurations(which.get(), handler, data, flags, probe, out,
                           insideHandler());
  if (result)
    copyStructure(result, layout->result, &out, sizeof out);
  return status;
}

tprt_status tprt_duration_probe_detach(tprt_duration_probe *durations,
                                       int timeoutMs) {
  auto caller = reinterpret_cast<uint64_t>(__builtin_dwarf_cfa());
  const bool inside = insideHandler();
  CancelDisabled uncancelled;
  // If `durations` is no duration probe, `probe` stays nullptr, which
  // detach() refuses.
  tprt_probe *probe = nullptr;
  uint64_t number = 0;
  if (!inside) {
    Lock lock;
    if (isDurations(durations)) {
      probe = durations->probe;
      number = durations->number;
    }
    // Another thread may detach the same probe now. While this thread
    // holds the structure, the memory is not used again, so no later probe lies
    // at this address and is detached instead.
    if (probe)
      holdProbe(probe);
  }
  tprt_status status = detach(probe, timeoutMs, caller, inside);
  if (probe) {
    Lock lock;
    releaseProbe(probe);
  }
  if (status == TPRT_STATUS_OK)
    unmake(durations, number);
  return status;
}

uint32_t tprt_duration_probe_depth(const tprt_duration_probe *durations) {
  Thread *thread = isDurations(durations) ? currentThread() : nullptr;
  if (!thread)
    return 0;
  const OpenCalls *open = openOf(thread, durations->slot);
  return open ? open->depth() : 0;
}

uint64_t tprt_duration_lost() {
  return __atomic_load_n(&lost, __ATOMIC_RELAXED);
}
