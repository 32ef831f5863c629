// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Begins and ends groups of aggregated hits; see aggregations.h and
// aggregate_table.h. Not in hits.
#include "aggregate/aggregations.h"
#include "aggregate/aggregate_table.h"
#include "aggregate/hit_program.h"
#include "base/cancel.h"
#include "base/os_memory.h"
#include "base/page_size.h"
#include "base/small_alloc.h"
#include "probes/api.h"
#include "programs/lasting_memory.h"
#include "programs/program_check.h"
#include "stacks/stack_tables.h"
#include "threads/lock.h"
#include "threads/status.h"
#include "timing/missing_exits.h"

#include <string.h>

namespace tprt {

// The groups by slot. Under the lock.
static Aggregation *groups[kMostAggregations];

bool makeAggregation(Aggregation *&place) {
  CancelDisabled uncancelled;
  Lock lock;
  unsigned slot = 0;
  while (slot < kMostAggregations && groups[slot])
    ++slot;
  if (slot == kMostAggregations)
    return false;
  auto *group = static_cast<Aggregation *>(allocateSmall(sizeof(Aggregation)));
  if (!group)
    return false;
  group->slot = slot;
  // Address space; memory is used as histograms need it.
  if (!group->pool.reserve(size_t{64} << 20)) {
    freeSmall(group, sizeof(Aggregation));
    return false;
  }
  place = groups[slot] = group;
  return true;
}

bool agreesWith(const Aggregation *group, const Program &program) {
  return !group->links || (group->hasFloats == program.hasFloatValue() &&
                           group->hasSelf == program.hasSelf());
}

bool hasPairsOf(const Aggregation *group, const Program &program) {
  return !group->links || (!group->pairs == !program.isOfPairs() &&
                           group->hasOpenPairs == program.hasOpenPairs());
}

static AggregateLink *addLink(Aggregation &group, const Program &program) {
  const size_t programBytes = program.bytes();
  Lock lock;
  const size_t bytes = sizeof(AggregateLink) + programBytes;
  auto *link = static_cast<AggregateLink *>(allocateSmall(bytes));
  if (!link)
    return nullptr;
  *link = {{group.links, nullptr}, &group, bytes, group.slot, false};
  memcpy(&link->program(), &program, programBytes);
  group.hasFloats = program.hasFloatValue();
  group.hasSelf = program.hasSelf();
  group.hasOpenPairs = program.hasOpenPairs();
  group.links = link;
  return link;
}

static void dropLink(Aggregation &group) {
  Lock lock;
  auto *link = static_cast<AggregateLink *>(group.links);
  group.links = link->next;
  freeSmall(link, link->bytes);
}

// What hits at the end of calls need. False: no memory.
static bool prepareEnds(Aggregation &group) {
  tprt_ticks_to_ns(0); // hits convert ticks at the rate that is known
  return group.ends.isReserved() || group.ends.reserve();
}

// What hits of pairs need. False: no memory.
static bool preparePairs(Aggregation &group) {
  tprt_ticks_to_ns(0); // as above
  if (!group.pairs)
    group.pairs = makePairTable();
  return group.pairs;
}

// The first program of the group that walks stacks needs tables. False: no
// memory.
static bool prepareStacks(Aggregation &group, const Program &program) {
  if (program.keepsModules() && !group.usesStacks)
    group.usesStacks = beginStacks();
  return group.usesStacks || !program.keepsModules();
}

tprt_status addAggregated(Aggregation *group, const tprt_selector *selector,
                          const Program &program, tprt_result &result) {
  CancelDisabled uncancelled;
  Place place;
  if (const char *fault = placeFault(program, selector->kinds, place))
    return fail(TPRT_STATUS_INVALID_ARGUMENT, "%s", fault);
  if (!agreesWith(group, program))
    return fail(TPRT_STATUS_INVALID_ARGUMENT, "%s",
                group->hasSelf != program.hasSelf()
                    ? "the rows of one group all have own times, or none has"
                    : "the values of one group are all doubles, or none is");
  if (!hasPairsOf(group, program))
    return fail(TPRT_STATUS_INVALID_ARGUMENT,
                "the programs of one group are all of pairs, or none is");
  if (!prepareStacks(*group, program) ||
      (program.isAtEnd() && !prepareEnds(*group)) ||
      (program.isOfPairs() && !preparePairs(*group)))
    return fail(TPRT_STATUS_NO_MEMORY, "no memory for a program");
  findLastingMemory();
  AggregateLink *link = addLink(*group, program);
  if (!link)
    return fail(TPRT_STATUS_NO_MEMORY, "no memory for a program");
  tprt_selector which = *selector;
  if (place == kAtFunction)
    which.kinds = program.isAtEnd() ? TPRT_KIND_SET_ALL : TPRT_KIND_SET_ENTRY;
  tprt_action action{};
  action.flags = TPRT_HANDLER_GENERAL_REGS_ONLY;
  action.handler = program.isAtEnd() ? aggregateCall : aggregateEntry;
  action.data = link;
  const tprt_status status = attach(&which, &action, &link->probe, result,
                                    false, Handler::KeepsVectors);
  __atomic_store_n(&link->attached, true, __ATOMIC_RELEASE);
  if (!link->probe) { // so no thread has ever seen the link
    dropLink(*group);
    return status;
  }
  return status == TPRT_STATUS_OK && program.isAtEnd()
             ? explainWithoutExits(link->probe, "are not counted")
             : status;
}

tprt_status dropAggregated(Aggregation *group,
                           bool (*leaves)(const tprt_site &site, void *data),
                           void *data, size_t *count) {
  CancelDisabled uncancelled;
  return detachSitesOfLinks(group->links, leaves, data, count);
}

// Frees a group whose handler no thread is in or will be in. Whatever is freed
// is no longer referred to, so a child of fork() can go on with the rest.
static void freeGroup(Aggregation *&place) {
  Aggregation *group = place;
  for (Thread *t = firstThread(); t; t = t->next)
    __atomic_store_n(
        &stateOf<ThreadAggregates>(t, aggregatesComponent).of[group->slot], 0,
        __ATOMIC_RELAXED);
  while (AggregateTable *table = group->tables) {
    group->tables = table->next;
    freePages(table, roundToPages(sizeof(AggregateTable)));
  }
  group->pool.release();
  if (PairTable *pairs = group->pairs) {
    group->pairs = nullptr;
    freePairTable(pairs);
  }
  group->ends.release();
  Lock lock;
  while (group->links) {
    auto *link = static_cast<AggregateLink *>(group->links);
    group->links = link->next;
    freeSmall(link, link->bytes);
  }
  groups[group->slot] = nullptr;
  place = nullptr;
  freeSmall(group, sizeof(Aggregation));
}

tprt_status endAggregation(Aggregation *&place, int timeoutMs) {
  CancelDisabled uncancelled;
  auto caller = reinterpret_cast<uint64_t>(__builtin_dwarf_cfa());
  const tprt_status status =
      detachLinks(place->links, timeoutMs, caller, insideHandler());
  if (status != TPRT_STATUS_OK)
    return status;
  if (place->usesStacks)
    endStacks();
  freeGroup(place);
  return status;
}

size_t sitesOfAggregation(const Aggregation *group) {
  Lock lock;
  return sitesOfLinks(group->links);
}

} // namespace tprt
