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
    if (!isProbe(probe))
      return; // another thread repeated the call as well
    releaseModules(probe, pins);
    freePattern(probe->pattern);
    probe->~tprt_probe();
    probe->mark = 0;
    freeSmall(probe, sizeof(tprt_probe));
  }
  unpin(pins); // may run a library's destructors: not under the lock
}

// Takes the probe off its sites and flips those back that have no other.
static tprt_status detachLocked(tprt_probe *probe) {
  Batch batch{probe, nullptr};
  if (!batch.open())
    return fail(
        TPRT_STATUS_NO_MEMORY,
        "no memory for the list of modules; the probe is still attached");
  batch.change();
  if (!batch.close())
    return fail(TPRT_STATUS_NO_BARRIER,
                "membarrier failed while detaching (errno %d); repeat the call",
                errno);
  if (!batch.memory)
    return fail(
        TPRT_STATUS_NO_MEMORY,
        "no memory to take a probe off a site it shares; repeat the call");
  stopStanding(probe);
  probe->detached = true;
  return TPRT_STATUS_OK;
}

static tprt_status finishDetach(tprt_probe *probe, Chain *old, int timeoutMs) {
  bool quiet = waitForHandlers(timeoutMs);
  {
    Lock lock;
    settleRetired(old, quiet);
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
  CancelDisabled uncancelled;
  Chain *old;
  {
    Lock lock;
    if (!isProbe(probe))
      return fail(TPRT_STATUS_INVALID_ARGUMENT,
                  "detach needs a probe that attach gave, and that was not "
                  "detached yet");
    if (!probe->detached) {
      tprt_status status = detachLocked(probe);
      if (status != TPRT_STATUS_OK)
        return status;
    }
    old = takeRetired();
  }
  return finishDetach(probe, old, timeoutMs);
}
