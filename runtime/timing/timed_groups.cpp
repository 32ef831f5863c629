// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Begins and ends groups of timed functions; see timed_groups.h and
// thread_sums.h. Not in hits.
#include "timing/timed_groups.h"
#include "base/cancel.h"
#include "base/os_memory.h"
#include "base/page_size.h"
#include "base/small_alloc.h"
#include "probes/api.h"
#include "threads/lock.h"
#include "threads/status.h"
#include "timing/call_timer.h"
#include "timing/missing_exits.h"
#include "timing/thread_sums.h"

namespace tprt {

static_assert(kMostTimed == 16, "or the text below is wrong");

// The groups by slot. Under the lock.
static TimedGroup *groups[kMostTimed];

static TimedGroup *make(TimedGroup *&place, size_t histogramBytes) {
  CancelDisabled uncancelled;
  Lock lock;
  unsigned slot = 0;
  while (slot < kMostTimed && groups[slot])
    ++slot;
  if (slot == kMostTimed)
    return nullptr;
  auto *group = static_cast<TimedGroup *>(allocateSmall(sizeof(TimedGroup)));
  if (!group)
    return nullptr;
  group->slot = slot;
  if (!group->pool.reserve(histogramBytes)) {
    freeSmall(group, sizeof(TimedGroup));
    return nullptr;
  }
  return place = groups[slot] = group;
}

bool makeTimed(TimedGroup *&place, size_t histogramBytes) {
  return make(place, histogramBytes);
}

bool makeTimedByCallers(TimedGroup *&place) {
  TimedGroup *group = make(place, kHistogramBytes);
  if (group)
    group->byCallers = true;
  return group;
}

static TimedLink *addLink(TimedGroup *group) {
  Lock lock;
  uint16_t number =
      group->links ? static_cast<TimedLink *>(group->links)->number + 1 : 1;
  if (number == kUntimed)
    return nullptr;
  auto *link = static_cast<TimedLink *>(allocateSmall(sizeof(TimedLink)));
  if (link) {
    *link = {{group->links, nullptr},
             group,
             static_cast<uint16_t>(group->slot),
             number,
             false};
    group->links = link;
  }
  return link;
}

static void dropLink(TimedGroup *group) {
  Lock lock;
  ProbeLink *link = group->links;
  group->links = link->next;
  freeSmall(link, sizeof(TimedLink));
}

tprt_status attachTimed(TimedGroup *group, const tprt_selector *selector,
                        tprt_probe **probe, tprt_result *result) {
  CancelDisabled uncancelled;
  TimedLink *link = group ? addLink(group) : nullptr;
  if (!link)
    return fail(TPRT_STATUS_NO_MEMORY,
                "no memory to time functions, or 16 groups time calls: end "
                "one");
  static const tprt_selector all{};
  tprt_selector both = selector ? *selector : all;
  both.kinds = TPRT_KIND_SET_ALL;
  tprt_action action{};
  action.flags = TPRT_HANDLER_GENERAL_REGS_ONLY;
  action.handler = group->byCallers ? timeCallOfCaller : timeCall;
  action.data = link;
  // A child of fork() may be made at any time, so the link has its probe as
  // soon as a site leads to the link.
  tprt_status status = attach(&both, &action, &link->probe, *result, false,
                              Handler::KeepsVectors);
  *probe = link->probe;
  __atomic_store_n(&link->attached, true, __ATOMIC_RELEASE);
  // Without a probe, no thread has ever seen the link.
  if (!link->probe)
    dropLink(group);
  return status;
}

tprt_status addTimed(TimedGroup *group, const tprt_selector *selector,
                     tprt_result &result) {
  tprt_probe *probe = nullptr;
  tprt_status status = attachTimed(group, selector, &probe, &result);
  return status == TPRT_STATUS_OK ? explainWithoutExits(probe, "are not timed")
                                  : status;
}

// Frees a tally, which no thread's block refers to any more.
static void freeTally(TimedTally *tally) {
  for (uint32_t i = 0; i < chunksInUse(); ++i)
    if (tally->chunks[i])
      freePages(tally->chunks[i],
                roundToPages(kChunkSites * sizeof(FunctionTimes)));
  if (tally->callers)
    freePages(tally->callers, roundToPages(sizeof(CallerTable)));
  freePages(tally, roundToPages(sizeof(TimedTally)));
}

// Frees a group whose handler no thread is in or will be in. The slot is kept
// until the end, so no other group's tallies get into the blocks. Whatever is
// freed is no longer referred to, so a child of fork() can go on with the rest.
static void freeGroup(TimedGroup *&place) {
  TimedGroup *group = place;
  for (Thread *t = firstThread(); t; t = t->next)
    __atomic_store_n(&stateOf<ThreadTimes>(t, timesComponent).of[group->slot],
                     0, __ATOMIC_RELAXED);
  while (TimedTally *tally = group->tallies) {
    group->tallies = tally->next;
    freeTally(tally);
  }
  group->pool.release();
  Lock lock;
  while (ProbeLink *link = group->links) {
    group->links = link->next;
    freeSmall(link, sizeof(TimedLink));
  }
  groups[group->slot] = nullptr;
  place = nullptr;
  freeSmall(group, sizeof(TimedGroup));
}

tprt_status endTimed(TimedGroup *&place, int timeoutMs) {
  CancelDisabled uncancelled;
  TimedGroup *group = place;
  auto caller = reinterpret_cast<uint64_t>(__builtin_dwarf_cfa());
  tprt_status status =
      detachLinks(group->links, timeoutMs, caller, insideHandler());
  if (status == TPRT_STATUS_OK)
    freeGroup(place);
  return status;
}

tprt_status dropTimed(TimedGroup *group,
                      bool (*leaves)(const tprt_site &site, void *data),
                      void *data, size_t *count) {
  CancelDisabled uncancelled;
  return detachSitesOfLinks(group->links, leaves, data, count);
}

size_t sitesOfTimed(const TimedGroup *group) {
  Lock lock;
  return sitesOfLinks(group->links);
}

} // namespace tprt
