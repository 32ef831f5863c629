// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Detach: takes a probe off its sites, flips back those that have no other, as
// one batch (flip.h), then waits until no thread is inside the old chain. From
// any thread but not in a handler.
#include "core/flip.h"
#include "core/probe.h"
#include "core/standing.h"
#include "core/status.h"
#include "core/stubs.h"
#include "core/threads.h"
#include "os/linux/barrier.h"
#include "os/linux/loader.h"
#include "os/linux/trial.h"

#include <errno.h>

namespace tprt {

void freeProbe(tprt_probe *probe) {
  Array<Pin> pins;
  {
    Lock lock;
    releaseModules(probe, pins);
    freePattern(probe->pattern);
    probe->~tprt_probe();
    freeSmall(probe, sizeof(tprt_probe));
  }
  unpin(pins); // may run a library's destructors: not under the lock
}

// planToggle() or the store gave this reason. Out of the loop's way.
[[gnu::cold, gnu::noinline]] static void
disableByTrapOrExplain(tprt_site &site, tprt_refusal refusal,
                       TextWriter &writer) {
  if (mayNeedTrap(refusal) && site.enabled) {
    Toggle toggle;
    refusal = planTrap(site, 0, &toggle);
    if (refusal == TPRT_REFUSAL_NONE)
      refusal = flip(site, false, toggle, writer);
    if (refusal == TPRT_REFUSAL_NONE)
      return;
  }
  __atomic_store_n(&site.refusal, static_cast<uint8_t>(refusal),
                   __ATOMIC_RELAXED);
  say(1, "%p in %s stays flipped, to no effect: %s",
      static_cast<const void *>(site.sled()), site.module()->path,
      tprt_refusal_string(refusal));
}

// Takes the probe off the sites of a group. False: no memory, some have it
// still.
TPRT_BATCH_LOOP static bool detachSites(tprt_probe *probe, Group &group,
                                        ChainCache &cache) {
  Walk walk(group.module);
  const uint32_t *batch = probe->sites.begin();
  for (size_t i = group.begin, end = group.end; i < end; ++i) {
    Place place = walk(batch[i]);
    tprt_site &site = place.site;
    const Chain *before = place.data->chain;
    if (!contains(before, probe))
      continue;
    Chain *chain = chainWithout(cache, before, isWide(site), probe);
    if (!chain)
      return false;
    publish(place, chain);
    if (chain != emptyChain())
      continue;
    Toggle toggle;
    tprt_refusal refusal =
        planToggle(site, place.origin, place.target(), &toggle);
    if (refusal == TPRT_REFUSAL_NONE)
      refusal = flip(site, false, toggle, group.writer);
    if (refusal != TPRT_REFUSAL_NONE)
      disableByTrapOrExplain(site, refusal, group.writer);
  }
  return true;
}

// Takes the probe off its sites and flips those back that have no other.
static tprt_status detachLocked(tprt_probe *probe) {
  ChainCache cache{};
  Array<Group> groups;
  beginTrials();
  if (!groupByModule(probe->sites, groups))
    return fail(
        TPRT_STATUS_NO_MEMORY,
        "no memory for the list of modules; the probe is still attached");
  bool memory = true;
  for (size_t i = 0; i < groups.size() && memory; ++i)
    memory = detachSites(probe, groups[i], cache);
  closeAll(groups);
  settleTraps();
  if (!synchroniseCores())
    return fail(TPRT_STATUS_NO_BARRIER,
                "membarrier failed while detaching (errno %d); repeat the call",
                errno);
  if (!memory)
    return fail(
        TPRT_STATUS_NO_MEMORY,
        "no memory to take a probe off a site it shares; repeat the call");
  stopStanding(probe);
  probe->detached = true;
  return TPRT_STATUS_OK;
}

static tprt_status finishDetach(tprt_probe *probe, int timeoutMs) {
  Chain *old;
  {
    Lock lock;
    old = takeRetired();
  }
  bool quiet = waitForHandlers(timeoutMs);
  {
    Lock lock;
    if (quiet)
      freeChains(old);
    else
      giveBackRetired(old);
  }
  if (!quiet)
    return fail(TPRT_STATUS_PENDING,
                "detached, but a thread is still inside a handler after %d ms; "
                "repeat the call "
                "before freeing what the handler uses",
                timeoutMs);
  freeProbe(probe);
  return TPRT_STATUS_OK;
}

} // namespace tprt

using namespace tprt;

tprt_status tprt_probe_detach(tprt_probe *probe, int timeoutMs) {
  if (insideHandler())
    return fail(TPRT_STATUS_IN_HANDLER, "detach is not allowed from inside a "
                                        "handler: it would wait for itself");
  if (!probe)
    return fail(TPRT_STATUS_INVALID_ARGUMENT, "detach needs a probe");
  if (!probe->detached) {
    Lock lock;
    tprt_status status = detachLocked(probe);
    if (status != TPRT_STATUS_OK)
      return status;
  }
  return finishDetach(probe, timeoutMs);
}
