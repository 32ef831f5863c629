// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attach: selects sites, prepares and flips them as one batch (flip.h has the
// order of writes), and says which were refused and why. From any thread but
// not in a handler; takes the lock after the loader was walked without it.
#include "core/countstubs.h"
#include "core/flip.h"
#include "core/probe.h"
#include "core/standing.h"
#include "core/status.h"
#include "core/stubs.h"
#include "core/threads.h"
#include "os/linux/barrier.h"
#include "os/linux/copies.h"
#include "os/linux/loader.h"
#include "os/linux/maps.h"
#include "os/linux/trial.h"

#include <errno.h>
#include <string.h>

namespace tprt {

// A shared mapping would carry our bytes into the file and other processes.
static bool isShared(Module *module) {
  if (module->mapping == 0)
    module->mapping = isSharedMapping(reinterpret_cast<uint64_t>(
                          sites[module->firstSite].sled()))
                          ? 2
                          : 1;
  return module->mapping == 2;
}

namespace {
// One attach. Positions in the batch stay until the end; those of refused sites
// are marked.
struct Attachment {
  static constexpr uint32_t kDropped = UINT32_MAX;
  tprt_probe *probe;
  tprt_result &result;
  Array<Group> groups;
  Array<uint32_t> deferred; // positions of sites whose slot was just written
  ChainCache cache{};
  bool memory = true;

  Attachment(tprt_probe *probe, tprt_result &result)
      : probe(probe), result(result) {}

  void drop(size_t position, tprt_refusal reason);
  void enable(size_t position, const Place &place, const Toggle &toggle,
              TextWriter &writer);
  [[gnu::cold, gnu::noinline]] void enableByTrapOrDrop(size_t position,
                                                       Place place,
                                                       tprt_refusal refusal,
                                                       TextWriter &writer);
  void makeCode(Group &group);
  void attachSites(Group &group);
  void attachDeferred();
  bool compact(bool cutShort);
};
} // namespace

void Attachment::drop(size_t position, tprt_refusal reason) {
  tprt_site &site = sites[probe->sites[position]];
  probe->sites[position] = kDropped;
  __atomic_store_n(&site.refusal, static_cast<uint8_t>(reason),
                   __ATOMIC_RELAXED);
  ++result.refused;
  if (!result.first_refused) {
    result.first_refused = &site;
    result.first_refusal = reason;
  }
}

// Publishes the action, then flips the sled if it is off: on x86 stores stay
// in order (Intel SDM vol. 3, 9.2.2), elsewhere the release in publish() and
// the barrier of the writer keep it.
inline __attribute__((always_inline)) void
Attachment::enable(size_t position, const Place &place, const Toggle &toggle,
                   TextWriter &writer) {
  tprt_site &site = place.site;
  const Chain *before = place.data->chain;
  Chain *chain = chainWith(cache, before, isWide(site), probe);
  if (!chain) [[unlikely]] {
    memory = false;
    return drop(position, TPRT_REFUSAL_NONE);
  }
  if (probe->action.kind == TPRT_ACTION_COUNT)
    probe->baselines[position] = sumCounters(probe->sites[position]);
  publish(place, chain);
  tprt_refusal refusal =
      site.enabled ? TPRT_REFUSAL_NONE : flip(site, true, toggle, writer);
  __atomic_store_n(&site.refusal, static_cast<uint8_t>(refusal),
                   __ATOMIC_RELAXED);
  if (refusal != TPRT_REFUSAL_NONE) [[unlikely]] {
    // It was off, so it had no other action.
    publish(place, const_cast<Chain *>(emptyChain()));
    if (!chain->references) // retired, so not for the sites that follow
      cache.used = 0;
    drop(position, refusal);
  }
}

// A site that was refused so far. Out of the loop's way.
void Attachment::enableByTrapOrDrop(size_t position, Place place,
                                    tprt_refusal refusal, TextWriter &writer) {
  Toggle toggle;
  if (mayNeedTrap(refusal) && probe->pattern.flags & TPRT_SELECT_TRAPS)
    refusal = planTrap(place.site, place.target(), &toggle);
  if (refusal != TPRT_REFUSAL_NONE)
    drop(position, refusal);
  else
    enable(position, place, toggle, writer);
}

static bool asksMore(const tprt_action &action) {
  return action.kind == TPRT_ACTION_REDIRECT ||
         action.flags & TPRT_HANDLER_CHANGES_REGS;
}

// What such an action asks of a site beyond a sled that can be flipped.
static tprt_refusal refusalOfAction(const tprt_site &site,
                                    const tprt_action &action) {
  bool redirects = action.kind == TPRT_ACTION_REDIRECT;
  if (redirects &&
      (site.event.event != TPRT_RECORD_ENTRY || site.needs & TPRT_NEEDS_OTHER))
    return TPRT_REFUSAL_ACTION;
  if (!(site.needs & TPRT_RECORD_OPAQUE))
    return TPRT_REFUSAL_NOT_OPAQUE;
  return redirects && !originalOf(site) ? TPRT_REFUSAL_REACH
                                        : TPRT_REFUSAL_NONE;
}

// Step 1.
void Attachment::makeCode(Group &group) {
  const uint32_t *batch = &probe->sites[group.begin];
  size_t count = group.end - group.begin;
  if (isShared(group.module)) {
    group.forAll = TPRT_REFUSAL_MAPPING;
  } else if (!isReadable(sites[*batch].sled())) { // execute-only code
    group.forAll = TPRT_REFUSAL_PERMISSION;
  } else if (!makeStubs(group.module, batch, count)) {
    group.forAll =
        group.module->stubs ? TPRT_REFUSAL_PERMISSION : TPRT_REFUSAL_REACH;
  } else {
    if (probe->action.kind == TPRT_ACTION_REDIRECT)
      makeOriginals(group.module, batch, count);
    if (probe->action.kind == TPRT_ACTION_COUNT)
      makeCountStubs(group.module, batch, count);
  }
  if (!group.module->copied)
    group.writer.expect(count);
}

TPRT_BATCH_LOOP void Attachment::attachSites(Group &group) {
  bool counting = probe->action.kind == TPRT_ACTION_COUNT;
  bool more = asksMore(probe->action);
  const uint32_t *batch = probe->sites.begin();
  const tprt_refusal forAll = group.forAll;
  Walk walk(group.module);
  for (size_t i = group.begin, end = group.end; i < end && memory; ++i) {
    Place place = walk(batch[i]);
    tprt_site &site = place.site;
    Toggle toggle{};
    bool slotWritten = false;
    tprt_refusal refusal = forAll;
    if (refusal == TPRT_REFUSAL_NONE && more) [[unlikely]]
      refusal = refusalOfAction(site, probe->action);
    if (!site.enabled && refusal == TPRT_REFUSAL_NONE)
      refusal = prepare(place, counting, group.writer, &toggle, &slotWritten);
    if (refusal != TPRT_REFUSAL_NONE) [[unlikely]]
      enableByTrapOrDrop(i, place, refusal, group.writer);
    else if (!slotWritten) [[likely]]
      enable(i, place, toggle, group.writer);
    else
      memory = deferred.push(static_cast<uint32_t>(i));
  }
}

// After the barrier that step 3 asks for.
__attribute__((noinline)) void Attachment::attachDeferred() {
  size_t i = 0;
  for (Group &group : groups) {
    Walk walk(group.module);
    for (; i < deferred.size() && deferred[i] < group.end; ++i) {
      Place place = walk(probe->sites[deferred[i]]);
      Toggle toggle;
      tprt_refusal refusal =
          planToggle(place.site, place.origin, place.target(), &toggle);
      if (refusal != TPRT_REFUSAL_NONE)
        drop(deferred[i], refusal);
      else
        enable(deferred[i], place, toggle, group.writer);
    }
  }
}

// Takes the dropped positions out and, where the work was cut short, those that
// were never reached.
bool Attachment::compact(bool cutShort) {
  if (!result.refused && !cutShort)
    return true;
  size_t kept = 0;
  bool counting = probe->action.kind == TPRT_ACTION_COUNT;
  for (size_t i = 0; i < probe->sites.size(); ++i) {
    uint32_t index = probe->sites[i];
    if (index == kDropped)
      continue;
    const Chain *chain = cutShort ? chainOf(sites[index]) : nullptr;
    if (cutShort && (!chain || !contains(chain, probe)))
      continue;
    probe->sites[kept] = index;
    if (counting)
      probe->baselines[kept] = probe->baselines[i];
    ++kept;
  }
  return probe->sites.resize(kept) &&
         (!counting || probe->baselines.resize(kept));
}

static tprt_status explain(const tprt_result &result) {
  const tprt_site *site = result.first_refused;
  tprt_status status =
      result.enabled ? TPRT_STATUS_PARTIAL : TPRT_STATUS_REFUSED;
  if (result.first_refusal == TPRT_REFUSAL_PERMISSION && !result.enabled)
    status = TPRT_STATUS_NO_PERMISSION;
  readSymbols(site->module());
  // Long names must not push the reason out of the text: the path's end will
  // do.
  constexpr size_t kLongest = 80;
  const char *path = site->module()->path;
  size_t length = strlen(path);
  bool isLong = length > kLongest;
  return fail(status,
              "%zu of %zu sites refused, the first %.80s (%p in %s%s): %s",
              result.refused, result.matched,
              nameOf(*site) ? nameOf(*site) : "without a name",
              static_cast<const void *>(site->sled()), isLong ? "..." : "",
              isLong ? path + length - kLongest : path,
              tprt_refusal_string(result.first_refusal));
}

// The whole of attach, under the lock. On success the probe has its sites.
static tprt_status attachLocked(const tprt_selector *selector,
                                tprt_probe *probe, tprt_result &result,
                                Array<Pin> &pins) {
  if (!readSelector(selector, probe->pattern) ||
      !selectSites(probe->pattern, probe->sites) || !reserveHolds(probe))
    return fail(TPRT_STATUS_NO_MEMORY, "no memory for the list of sites");
  result.matched = probe->sites.size();
  tprt_status status = result.matched ? enableSites(probe, result)
                                      : explainNothing(probe->pattern);
  holdModules(probe, 0, pins);
  bool waits = !result.matched && probe->pattern.flags & TPRT_SELECT_AWAIT;
  if (probe->pattern.mayGrow() && (result.enabled || waits))
    stand(probe);
  return status;
}

tprt_status enableSites(tprt_probe *probe, tprt_result &result) {
  Array<uint32_t> &batch = probe->sites;
  beginTrials();
  Attachment attachment(probe, result);
  if (!groupByModule(batch, attachment.groups) ||
      (probe->action.kind == TPRT_ACTION_COUNT &&
       !probe->baselines.resize(batch.size())))
    return fail(TPRT_STATUS_NO_MEMORY, "no memory for the probe's lists");
  for (Group &group : attachment.groups)
    attachment.makeCode(group);
  // No core may hold bytes from where stubs now are, nor bytes that an earlier
  // batch replaced: this one may replace a slot, or what stands behind a ret,
  // once more. The last batch ended with that barrier; where it failed, or was
  // the first, or stubs were made, this is it.
  if (!settleCores())
    return fail(TPRT_STATUS_NO_BARRIER,
                "membarrier(PRIVATE_EXPEDITED_SYNC_CORE) failed (errno %d): "
                "code can't be "
                "changed safely here; a seccomp filter, or Linux before 4.16?",
                errno);
  for (Group &group : attachment.groups)
    attachment.attachSites(group);
  bool synchronised = attachment.deferred.empty() || synchroniseCores();
  if (synchronised)
    attachment.attachDeferred();
  bool cutShort = !synchronised || !attachment.memory;
  closeAll(attachment.groups);
  settleTraps();
  synchronised = synchroniseCores() && synchronised;
  attachment.compact(cutShort);
  result.enabled = batch.size();
  if (!synchronised)
    return fail(TPRT_STATUS_NO_BARRIER,
                "membarrier failed in the middle of an operation (errno %d)",
                errno);
  if (!attachment.memory)
    return fail(batch.empty() ? TPRT_STATUS_NO_MEMORY : TPRT_STATUS_PARTIAL,
                "no memory for the probe's actions: on at "
                "%zu of %zu sites",
                batch.size(), result.matched);
  return result.refused ? explain(result) : TPRT_STATUS_OK;
}

static tprt_probe *newProbe(const tprt_action &action) {
  Lock lock;
  auto *probe = static_cast<tprt_probe *>(allocateSmall(sizeof(tprt_probe)));
  if (probe)
    probe->action = action;
  return probe;
}

static const char *actionFault(const tprt_action &action) {
  bool calls = action.kind == TPRT_ACTION_CALL,
       redirects = action.kind == TPRT_ACTION_REDIRECT;
  if (action.kind > TPRT_ACTION_REDIRECT)
    return "is of an unknown kind";
  if (action.flags & ~uint32_t{TPRT_HANDLER_GENERAL_REGS_ONLY |
                               TPRT_HANDLER_CHANGES_REGS | TPRT_HANDLER_TIME})
    return "has unknown flags";
  if (calls && !action.handler)
    return "calls, but has no handler";
  if (redirects && !action.replacement)
    return "redirects, but has no replacement";
  if ((!calls && (action.handler || action.flags || action.every)) ||
      (!redirects && action.replacement))
    return "has fields that are not of its kind";
  return nullptr;
}

} // namespace tprt

using namespace tprt;

tprt_status tprt_probe_attach(const tprt_selector *selector,
                              const tprt_action *action, tprt_probe **probe,
                              tprt_result *result) {
  tprt_result unused;
  tprt_result &out = result ? *result : unused;
  out = tprt_result{};
  if (probe)
    *probe = nullptr;
  if (insideHandler())
    return fail(TPRT_STATUS_IN_HANDLER,
                "attach is not allowed from inside a handler");
  if (!probe || !action)
    return fail(TPRT_STATUS_INVALID_ARGUMENT,
                "attach needs an action and a place for the probe");
  if (const char *fault = actionFault(*action))
    return fail(TPRT_STATUS_INVALID_ARGUMENT, "the action %s", fault);
  if (const char *fault = selectorFault(selector))
    return fail(TPRT_STATUS_INVALID_ARGUMENT, "the selector %s", fault);
  Array<Pin> pins;
  tprt_status status =
      refreshModules(pins, selector && selector->flags & TPRT_SELECT_FOREIGN);
  tprt_probe *made = status == TPRT_STATUS_OK ? newProbe(*action) : nullptr;
  if (status == TPRT_STATUS_OK && !made)
    status = fail(TPRT_STATUS_NO_MEMORY, "no memory for a probe");
  bool keep = false;
  if (made) {
    Lock lock;
    status = attachLocked(selector, made, out, pins);
    keep = out.enabled || made->standing;
  }
  unpin(pins);
  if (keep)
    *probe = made;
  else if (made)
    freeProbe(made);
  return status;
}
