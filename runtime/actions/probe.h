// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A probe: an action on a set of sites, from attach to detach, and the states
// of its life. Used under the lock, except isOver(), which dispatchers call in
// hits.
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
// What one array of counters had at a site or static branch then.
struct ArrayBaseline {
  const CounterArray *array;
  uint32_t site;
  uint64_t count;
};

// In the order of a probe's life.
enum class ProbeState : uint8_t {
  Attached,
  // A detach takes the probe off its sites. Dispatchers that still find it in
  // an action list leave its handler out. Where that detach has no memory, the
  // probe is attached again.
  Ending,
  Detached, // On at no site. A thread may still be in the handler.
  // Freed, except for the structure, as long as something refers to it.
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
  // Of a probe that counts by thread: the same for each array of counters,
  // where it is not 0; in order of site and array.
  tprt::Array<tprt::ArrayBaseline> arrayBaselines;
  // The modules of these sites, which may not be unloaded.
  tprt::Array<tprt::Module *> held;
  tprt::ProbeState state; // Changed by setState(); hits read it.
  bool direct; // Some action list calls the handler without the dispatcher.
  bool keepsVectors; // Handler::KeepsVectors in api.h.
  bool byThread;     // Handler::CountsByThread there.
  // The handler may also run at a site that the probe does not list.
  bool strays;
  // How many action lists have the probe in their entries, and how many calls
  // of detach refer to it, mostly because they wait: holdProbe().
  uint32_t references;
  uint64_t everyKey; // The key of an action with `every`, else 0.
  bool pending;      // The probe is in the list of pending probes.
  tprt_probe *nextPending;
  uint64_t mark; // See isProbe(). Any other value once the probe is gone.
  // Of a pending probe: it has looked at all modules up to this epoch.
  uint64_t seen;
  // No other pending probe of this process ever has the same number.
  uint64_t number;
  tprt::Pattern pattern; // As the caller gave it.
};

namespace tprt {

// Makes a probe with all members zero. nullptr: no memory.
tprt_probe *makeProbe();
// Whether this points to a probe that was attached and not freed. The pointer
// may have any value.
bool isProbe(const tprt_probe *probe);
// For a probe that is not gone.
void setState(tprt_probe &probe, ProbeState state);
// Whether dispatchers leave the probe's handler out. Any thread, without the
// lock: async-signal-safe.
inline bool isOver(const tprt_probe &probe) {
  return __atomic_load_n(reinterpret_cast<const uint8_t *>(&probe.state),
                         __ATOMIC_RELAXED) !=
         static_cast<uint8_t>(ProbeState::Attached);
}
// Whether the probe is on at no site any more.
inline bool isDetached(const tprt_probe &probe) {
  return probe.state >= ProbeState::Detached;
}
// Keeps the structure until releaseProbe(), which frees it if it was the last
// that a gone probe waited for.
void holdProbe(tprt_probe *probe);
void releaseProbe(tprt_probe *probe);
// The probe is gone: what it owned was freed.
void endProbe(tprt_probe *probe);

} // namespace tprt

#endif
