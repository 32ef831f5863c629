// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A probe: an action on a set of sites, from attach to detach, and the states
// of its life. Used under the lock, except for isOver(), which dispatchers call
// in hits.
#ifndef TPRT_ACTIONS_PROBE_H
#define TPRT_ACTIONS_PROBE_H

#include "base/small_alloc.h"
#include "select/select.h"
#include "sites/site.h"
#include "threads/counters.h"

namespace tprt {
// The count of a static branch when a probe began to count there.
struct BranchCount {
  uint32_t branch; // The static branch's site index.
  uint64_t baseline;
};
// The count of a site or static branch in one array of counters at that time.
struct ArrayBaseline {
  const CounterArray *array;
  uint32_t site;
  uint64_t count;
};

// In the order of a probe's life.
enum class ProbeState : uint8_t {
  Attached,
  // A detach removes the probe from its sites. Dispatchers that still find the
  // probe in an action list do not call its handler. If the detach runs out of
  // memory, the probe is attached again.
  Ending,
  Detached, // The probe is at no site. A thread may still be in the handler.
  // Freed, except for the structure while it is still referenced.
  Gone
};
} // namespace tprt

struct tprt_probe {
  tprt_action action;
  // Site indexes, in the order that endOfModule() requires.
  tprt::Array<uint32_t> sites;
  // For a counting probe: the sites' counters at the time of the attach.
  tprt::Array<uint64_t> baselines;
  // For a counting probe: the static branches of its points, in order of
  // `branch`.
  tprt::Array<tprt::BranchCount> branches;
  // For a probe that counts by thread: the nonzero counts in each array of
  // counters, in order of site and array.
  tprt::Array<tprt::ArrayBaseline> arrayBaselines;
  // The modules of these sites, which must not be unloaded.
  tprt::Array<tprt::Module *> held;
  tprt::ProbeState state; // Changed by setState(); hits read it.
  bool direct; // Some action list calls the handler without the dispatcher.
  bool keepsVectors; // Handler::KeepsVectors in api.h.
  bool byThread;     // Handler::CountsByThread there.
  // The handler may also run at a site that the probe does not list.
  bool strays;
  // How many action lists contain the probe, plus how many calls of detach
  // refer to it (holdProbe()), most of them waiting.
  uint32_t references;
  uint64_t everyKey; // The key of an action with `every`, else 0.
  bool pending;      // The probe is in the list of pending probes.
  tprt_probe *nextPending;
  uint64_t mark; // See isProbe(). A gone probe has a different value.
  // For a pending probe: it has examined all modules up to this epoch.
  uint64_t seen;
  // No other pending probe of this process gets the same number.
  uint64_t number;
  tprt::Pattern pattern; // The pattern of the caller's selector.
};

namespace tprt {

// Makes a probe with all members zero. Returns nullptr if there is no memory.
tprt_probe *makeProbe();
// Whether `probe` points to a probe that was attached and not freed. The
// pointer may have any value.
bool isProbe(const tprt_probe *probe);
// Called only for a probe that is not gone.
void setState(tprt_probe &probe, ProbeState state);
// Whether dispatchers skip the probe's handler. Any thread may call this
// without the lock. Async-signal-safe.
inline bool isOver(const tprt_probe &probe) {
  return __atomic_load_n(reinterpret_cast<const uint8_t *>(&probe.state),
                         __ATOMIC_RELAXED) !=
         static_cast<uint8_t>(ProbeState::Attached);
}
// Whether the probe is no longer at any site.
inline bool isDetached(const tprt_probe &probe) {
  return probe.state >= ProbeState::Detached;
}
// Keeps the structure until releaseProbe(), which frees the structure of a gone
// probe after its last reference.
void holdProbe(tprt_probe *probe);
void releaseProbe(tprt_probe *probe);
// Makes the probe gone, after everything that it owned was freed.
void endProbe(tprt_probe *probe);

} // namespace tprt

#endif
