// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Detach: removes a probe from its sites and flips back those without another
// probe, as one batch (batch.h). Afterwards waits until no thread is inside the
// probe's handler. A probe can also be detached from only some of its sites. In
// that case nothing is waited for. Called on any thread, but not in a handler.
#include "probes/detach.h"
#include "actions/probe.h"
#include "base/cancel.h"
#include "base/small_alloc.h"
#include "hits/quiesce.h"
#include "patch/batch.h"
#include "patch/uprobe_thread.h"
#include "probes/api.h"
#include "probes/pending_probes.h"
#include "sites/site.h"
#include "text/stub_regions.h"
#include "threads/lock.h"
#include "threads/status.h"
#include "threads/thread_block.h"

#include <errno.h>

namespace tprt {

void freeProbe(tprt_probe *probe, tprt_probe **place) {
  Array<Pin> pins;
  {
    Lock lock;
    if (!isProbe(probe))
      return; // another thread repeated the call as well
    releaseModules(probe, pins);
    freePattern(probe->pattern);
    giveEveryKey(probe->everyKey);
    probe->sites.reset();
    probe->baselines.reset();
    probe->branches.reset();
    probe->arrayBaselines.reset();
    if (place)
      *place = nullptr;
    endProbe(probe);
  }
  unpin(pins); // may run a library's destructors, so not under the lock
}

// Removes the probe from the batch's sites, and flips back those that have no
// other probe.
static tprt_status takeOff(Batch &batch) {
  if (!batch.open())
    return fail(
        TPRT_STATUS_NO_MEMORY,
        "no memory for the list of modules; the probe is still attached");
  switch (batch.flip()) {
  case Flipped::NotSynchronised:
    return fail(TPRT_STATUS_NO_BARRIER,
                "membarrier failed while detaching (errno %d); repeat the call",
                errno);
  case Flipped::NoMemory:
    return fail(
        TPRT_STATUS_NO_MEMORY,
        "no memory to take a probe off a site it shares; repeat the call");
  case Flipped::All:
    break;
  }
  return TPRT_STATUS_OK;
}

static tprt_status detachLocked(tprt_probe *probe) {
  Batch batch{probe, Direction::Off, nullptr};
  tprt_status status = takeOff(batch);
  if (status == TPRT_STATUS_OK) {
    stopPending(probe);
    setState(*probe, ProbeState::Detached);
  }
  return status;
}

// Moves the sites for which `moves` is true to the end. Both parts keep their
// order, so the sites of each module stay together. Returns the index at which
// the second part begins.
template <class Moves>
static size_t moveAfter(tprt_probe &probe, Array<uint32_t> &moved,
                        Array<uint64_t> &baselines, Moves moves) {
  const bool counts = !probe.baselines.empty();
  size_t kept = 0;
  for (size_t i = 0; i < probe.sites.size(); ++i) {
    uint32_t index = probe.sites[i];
    if (moves(sites[index])) {
      moved.push(index); // reserved
      if (counts)
        baselines.push(probe.baselines[i]); // reserved
      continue;
    }
    probe.sites[kept] = index;
    if (counts)
      probe.baselines[kept] = probe.baselines[i];
    ++kept;
  }
  for (size_t i = 0; i < moved.size(); ++i) {
    probe.sites[kept + i] = moved[i];
    if (counts)
      probe.baselines[kept + i] = baselines[i];
  }
  return kept;
}

tprt_status detachSites(tprt_probe *probe,
                        bool (*leaves)(const tprt_site &site, void *data),
                        void *data, size_t *count) {
  CancelDisabled uncancelled;
  Lock lock;
  if (!isProbe(probe) || isDetached(*probe))
    return fail(TPRT_STATUS_INVALID_ARGUMENT, "the probe is detached already");
  auto moves = [&](const tprt_site &site) {
    return !site.isPoint() && leaves(site, data);
  };
  size_t most = 0;
  for (uint32_t index : probe->sites)
    most += moves(sites[index]);
  Array<uint32_t> moved;
  Array<uint64_t> baselines;
  if (!most)
    return TPRT_STATUS_OK;
  if (!moved.reserve(most) || !baselines.reserve(most))
    return fail(TPRT_STATUS_NO_MEMORY, "no memory for a list of sites");
  size_t first = moveAfter(*probe, moved, baselines, moves);
  Batch batch{probe, Direction::Off, nullptr, first, /*ends=*/false};
  tprt_status status = takeOff(batch);
  if (status != TPRT_STATUS_OK)
    return status;
  // From now on, a thread may be in the handler at a site that is no longer in
  // the list.
  probe->strays = true;
  probe->sites.resize(first);
  if (!probe->baselines.empty())
    probe->baselines.resize(first);
  *count += most;
  return TPRT_STATUS_OK;
}

// Below the address `caller`, the stack belongs to this call.
static tprt_status finishDetach(tprt_probe *probe, uint64_t caller,
                                int timeoutMs, tprt_probe **place) {
  bool isQuiet = waitForHandlers(probe, caller, timeoutMs);
  if (isQuiet) {
    {
      Lock lock;
      freeRetired(oldestSection());
    }
    freeProbe(probe, place);
  }
  {
    Lock lock;
    isQuiet |= probe->state ==
               ProbeState::Gone; // another thread repeated the call as well
    releaseProbe(probe);
  }
  if (!isQuiet)
    return fail(TPRT_STATUS_PENDING,
                "detached, but after %d ms a thread is still inside its "
                "handler, or may be; repeat the call before freeing what the "
                "handler uses",
                timeoutMs);
  return TPRT_STATUS_OK;
}

} // namespace tprt

using namespace tprt;

tprt_status tprt_probe_detach(tprt_probe *probe, int timeoutMs) {
  auto caller = reinterpret_cast<uint64_t>(__builtin_dwarf_cfa());
  return detach(probe, timeoutMs, caller, insideHandler());
}

tprt_status tprt::detach(tprt_probe *probe, int timeoutMs, uint64_t caller,
                         bool inside, tprt_probe **place) {
  if (inside)
    return fail(TPRT_STATUS_IN_HANDLER, "detach is not allowed from inside a "
                                        "handler: it would wait for itself");
  CancelDisabled uncancelled;
  {
    Lock lock;
    if (!isUsable())
      return fail(TPRT_STATUS_UNSUPPORTED, "%s", kUnusable);
    if (!isProbe(probe))
      return fail(TPRT_STATUS_INVALID_ARGUMENT,
                  "detach needs a probe that attach returned and that is still "
                  "attached");
    if (!isDetached(*probe)) {
      tprt_status status = detachLocked(probe);
      if (status != TPRT_STATUS_OK)
        return status;
    }
    holdProbe(probe); // until finishDetach() no longer needs the probe
  }
  keepWatch();
  return finishDetach(probe, caller, timeoutMs, place);
}
