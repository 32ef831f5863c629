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
#include "core/api.h"
#include "core/cancel.h"
#include "core/lock.h"
#include "core/memory.h"
#include "core/module.h"
#include "core/os.h"
#include "core/probe.h"
#include "core/select.h"
#include "core/status.h"
#include "core/symbols.h"
#include "core/threads.h"
#include "optional/duration.h"
#include "optional/follow.h"

#include <errno.h>

struct tprt_duration_probe {
  tprt_duration_handler handler;
  void *data;
  const tprt::Follower *follower; // in place of the handler
  unsigned slot;                  // its stack in each thread
  tprt_probe *probe;
  uint64_t number; // no other has it
};

namespace tprt {

static_assert(TPRT_KIND_TAIL_EXIT - TPRT_KIND_EXIT == TPRT_DURATION_TAIL);
static_assert(kMostDurations == 8, "or the text below is wrong");

static tprt_duration_probe
    *inUse[kMostDurations]; // by slot; written under the lock
static uint32_t slotsUsed;  // bits: now or once
static uint64_t lost;

// Whether it is one that was attached and not detached, wherever it points to.
// Async-signal-safe.
static bool isDurations(const tprt_duration_probe *durations) {
  for (tprt_duration_probe *const &one : inUse)
    if (durations && __atomic_load_n(&one, __ATOMIC_ACQUIRE) == durations)
      return true;
  return false;
}

static OpenCalls *&openOf(Thread *thread, unsigned slot) {
  return stateOf<ThreadDurations>(thread, durationsPart).open[slot];
}

// What the block's last owner left open is nobody's.
void beginThreadDurations(void *state) {
  for (OpenCalls *open : static_cast<ThreadDurations *>(state)->open)
    if (open)
      open->count = 0;
}

// Empties all threads' stacks of this slot, which nobody uses.
static void forgetCalls(unsigned slot) {
  for (Thread *t = firstThread(); t; t = t->next)
    if (OpenCalls *open = openOf(t, slot))
      open->count = 0;
}

// Makes calls at `stack` on any thread's stack of this slot ones that have
// ended. The caller runs at that place.
static void disownCalls(unsigned slot, uint64_t stack) {
  for (Thread *t = firstThread(); t; t = t->next)
    if (OpenCalls *open = openOf(t, slot))
      for (uint32_t i = 0; i < __atomic_load_n(&open->count, __ATOMIC_RELAXED);
           ++i) {
        // Its thread may push and pop meanwhile, but nothing at `stack`.
        uint64_t own = stack;
        __atomic_compare_exchange_n(&open->calls[i].stack, &own, 0, false,
                                    __ATOMIC_RELAXED, __ATOMIC_RELAXED);
      }
}

// The calling thread's stack for these durations.
static OpenCalls *stackOf(const tprt_duration_probe &durations) {
  Thread *thread = currentThread();
  if (!thread)
    return nullptr;
  OpenCalls *&open = openOf(thread, durations.slot);
  const Follower *follower = durations.follower;
  if (!open) {
    int saved = errno;
    open = static_cast<OpenCalls *>(reservePages(
        sizeof(OpenCalls) + (follower ? follower->extraBytes : 0)));
    errno = saved;
    if (open && follower)
      follower->made(*open);
  }
  return open;
}

// Takes the topmost call off and tells of it.
static void close(OpenCalls &open, const tprt_duration_probe &durations,
                  uint64_t now, uint32_t flags) {
  const OpenCall &call = open.calls[--open.count];
  if (durations.follower)
    return durations.follower->left(open, open.count, indexOf(call.entry),
                                    now - call.start, flags);
  tprt_duration duration = {call.entry, call.start, now - call.start,
                            open.count, flags,      call.arguments};
  durations.handler(&duration, durations.data);
}

static void begin(OpenCall &call, uint64_t stack, const tprt_site *entry,
                  uint64_t start, const tprt_regs *regs) {
  call.stack = stack;
  call.entry = entry;
  call.start = start;
  for (unsigned i = 0; i < TPRT_ARGUMENT_REGISTERS; ++i)
    call.arguments[i] = tprt_regs_argument(regs, i);
}

static void followCall(const tprt_event *event, const tprt_regs *regs,
                       void *data) {
  const auto &durations = *static_cast<const tprt_duration_probe *>(data);
  OpenCalls *open = stackOf(durations);
  if (!open)
    return;
  auto stack = reinterpret_cast<uint64_t>(tprt_regs_stack(regs));
  // tprt_event_time(), of an event that is known to have one.
  uint64_t now = *reinterpret_cast<const uint64_t *>(event + 1);
  bool entry = event->kind == TPRT_KIND_ENTRY;
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
    return close(*open, durations, now, event->kind - TPRT_KIND_EXIT);
  if (durations.follower &&
      !durations.follower->enters(*open, event->site, indexOf(event->site)))
    return;
  if (keep == kMostOpen)
    __atomic_fetch_add(&lost, 1, __ATOMIC_RELAXED);
  else
    begin(open->calls[open->count++], stack, event->site, now, regs);
}

// A follower's memory is larger than what a thread may have kept of others.
static tprt_duration_probe *make(const Follower *follower) {
  Lock lock;
  unsigned slot = 0;
  while (slot < kMostDurations &&
         (inUse[slot] || (follower && slotsUsed >> slot & 1)))
    ++slot;
  auto *made = slot < kMostDurations
                   ? static_cast<tprt_duration_probe *>(
                         allocateSmall(sizeof(tprt_duration_probe)))
                   : nullptr;
  if (made) {
    slotsUsed |= 1u << slot;
    made->follower = follower;
    made->slot = slot;
    static uint64_t count;
    made->number = ++count;
    forgetCalls(slot); // of those that had it before
    __atomic_store_n(&inUse[slot], made, __ATOMIC_RELEASE);
  }
  return made;
}

static void unmake(tprt_duration_probe *durations, uint64_t number) {
  Lock lock;
  if (!isDurations(durations) || durations->number != number)
    return; // another thread repeated the call as well
  __atomic_store_n(&inUse[durations->slot], nullptr, __ATOMIC_RELEASE);
  freeSmall(durations, sizeof(tprt_duration_probe));
}

// --- functions without exits
// --------------------------------------------------------

// Whether that is an exit of the same function, and on, if that is asked for.
static bool isExit(const tprt_site &site, const tprt_site &entry, bool on) {
  return site.functionAt == entry.functionAt &&
         site.event.kind != TPRT_KIND_ENTRY && (site.enabled || !on);
}

static bool hasExit(const tprt_site &entry, bool on) {
  const Module *module = entry.module();
  if (!(module->kinds & TPRT_KIND_SET_EXIT))
    return false;
  bool sorted = __atomic_load_n(&module->symbolsRead, __ATOMIC_ACQUIRE) &&
                module->byFunction.size() == module->siteCount;
  uint32_t count = module->siteCount, i = 0;
  if (sorted)
    i = functionFrom(module, reinterpret_cast<uint64_t>(entry.function()));
  for (; i < count; ++i) {
    const tprt_site &site =
        sites[sorted ? module->byFunction[i] : module->firstSite + i];
    if (isExit(site, entry, on))
      return true;
    if (sorted && site.functionAt != entry.functionAt)
      return false;
  }
  return false;
}

bool hasExit(const tprt_site *entry) { return hasExit(*entry, false); }

// An exit that was refused is none: the function is on at its entry alone.
void findWithoutExits(const tprt_probe *probe,
                      void (*tell)(const tprt_site *, void *), void *data) {
  for (uint32_t index : probe->sites) {
    const tprt_site &site = sites[index];
    readSymbols(site.module());
    if (site.event.kind == TPRT_KIND_ENTRY && !hasExit(site, true))
      tell(&site, data);
  }
}

// What attach says of such functions: calls of theirs have no end.
static tprt_status explainWithoutExits(const tprt_probe *probe) {
  struct Found {
    const tprt_site *first = nullptr;
    size_t count = 0;
  } found;
  const char *name = nullptr;
  {
    Lock lock;
    findWithoutExits(
        probe,
        [](const tprt_site *entry, void *data) {
          auto &found = *static_cast<Found *>(data);
          found.first = found.count++ ? found.first : entry;
        },
        &found);
    if (!found.count)
      return TPRT_STATUS_OK;
    name = nameOf(*found.first);
  }
  return fail(TPRT_STATUS_PARTIAL,
              "%zu %s entered but not left, the first %.80s (%p): without an "
              "exit sled their calls end as abandoned ones; build with "
              "-ftp-exit (or they never return)",
              found.count, found.count == 1 ? "function is" : "functions are",
              name ? name : "without a name",
              static_cast<const void *>(found.first->function()));
}

// On entries and exits.
static tprt_status attachTo(const tprt_selector *selector,
                            tprt_duration_probe *durations, uint32_t flags,
                            tprt_probe **probe, tprt_result *result) {
  static const tprt_selector all{};
  tprt_selector both = selector ? *selector : all;
  both.kinds = TPRT_KIND_SET_ALL;
  tprt_action action{};
  action.flags = TPRT_HANDLER_TIME | flags;
  action.handler = followCall;
  action.data = durations;
  return tprt_probe_attach(&both, &action, probe, result);
}

tprt_status follow(const tprt_selector *selector, const Follower &follower,
                   tprt_probe **probe, tprt_result *result) {
  // One for all, so that calls of the functions of one selector are known to
  // be inside those of another.
  static tprt_duration_probe *durations;
  if (!durations && !(durations = make(&follower)))
    return fail(TPRT_STATUS_NO_MEMORY, "no memory for durations");
  return attachTo(selector, durations, TPRT_HANDLER_GENERAL_REGS_ONLY, probe,
                  result);
}

static tprt_status attachDurations(const tprt_selector *selector,
                                   tprt_duration_handler handler, void *data,
                                   uint32_t flags, tprt_duration_probe **probe,
                                   tprt_result &result) {
  if (!handler || !probe || flags & ~uint32_t{TPRT_HANDLER_GENERAL_REGS_ONLY})
    return fail(TPRT_STATUS_INVALID_ARGUMENT,
                "a duration probe needs a handler, a place for itself, and "
                "known flags");
  testCancel(); // as tprt_probe_attach()
  CancelDisabled uncancelled;
  tprt_duration_probe *made = make(nullptr);
  if (!made)
    return fail(TPRT_STATUS_NO_MEMORY,
                "no memory for a duration probe, or 8 of them are attached: "
                "detach one");
  made->handler = handler;
  made->data = data;
  tprt_status status = attachTo(selector, made, flags, &made->probe, &result);
  if (made->probe)
    *probe = made;
  else
    unmake(made, made->number);
  return status == TPRT_STATUS_OK ? explainWithoutExits(made->probe) : status;
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
  status = attachDurations(which.get(), handler, data, flags, probe, out);
  if (result)
    copyStructure(result, layout->result, &out, sizeof out);
  return status;
}

tprt_status tprt_duration_probe_detach(tprt_duration_probe *durations,
                                       int timeoutMs) {
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

uint32_t tprt_duration_probe_depth(const tprt_duration_probe *durations) {
  Thread *thread = isDurations(durations) ? currentThread() : nullptr;
  if (!thread)
    return 0;
  const OpenCalls *open = openOf(thread, durations->slot);
  return open ? open->count : 0;
}

uint64_t tprt_duration_lost() {
  return __atomic_load_n(&lost, __ATOMIC_RELAXED);
}
