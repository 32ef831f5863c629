// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A probe: an action on a set of sites, from attach to detach. Its members are
// used under the lock, except `over`, which dispatchers read in hits.
#ifndef TPRT_ACTIONS_PROBE_H
#define TPRT_ACTIONS_PROBE_H

#include "base/small_alloc.h"
#include "select/select.h"
#include "sites/site.h"

namespace tprt {
// What a static branch had counted when a probe began to count there.
struct BranchCount {
  uint32_t branch; // The static branch's site index.
  uint64_t baseline;
};
} // namespace tprt

struct tprt_probe {
  tprt_action action;
  // Site indexes in the order that endOfModule() asks for.
  tprt::Array<uint32_t> sites;
  // Of a counting probe: the sites' counters at the time of the attach.
  tprt::Array<uint64_t> baselines;
  // Of a counting probe: the static branches of its points, in order of
  // `branch`.
  tprt::Array<tprt::BranchCount> branches;
  // The modules of these sites, which may not be unloaded.
  tprt::Array<tprt::Module *> held;
  // The probe gets no new hits; detach waits for the last ones.
  bool detached;
  // The same for dispatchers, which read it without the lock: atomic.
  bool over;
  bool direct; // Some action list calls the handler without the dispatcher.
  bool keepsVectors; // Handler::KeepsVectors in api.h.
  // The handler may also run at a site that the probe does not list.
  bool strays;
  // The probe is freed, except for this structure, to which action lists refer.
  bool gone;
  uint32_t
      actionLists; // How many action lists have the probe in their entries.
  // How many calls of detach refer to the probe, mostly because they wait.
  uint32_t waiters;
  uint64_t everyKey; // The key of an action with `every`, else 0.
  bool pending;      // The probe is in the list of pending probes.
  tprt_probe *nextPending;
  uint64_t mark; // See isProbe(). Any other value once the probe is freed.
  // Of a pending probe: it has looked at all modules up to this epoch.
  uint64_t seen;
  // No other pending probe of this process ever has the same number.
  uint64_t number;
  tprt::Pattern pattern; // As the caller asked for.
};

namespace tprt {

// Makes a probe with all members zero. nullptr: no memory. Under the lock.
tprt_probe *makeProbe();
// Whether this points to a probe that was attached and not freed. The pointer
// may have any value. Under the lock.
bool isProbe(const tprt_probe *probe);

// Brings the list of modules up to date. Attached probes are also put on the
// sites of new modules; if `later` is not nullptr, *later gets the status of
// that. If the selector asks for modules without tables, these are read, too.
// `init`: where the calling thread runs _init of a module; 0: it does not.
// Without the lock.
tprt_status refreshModules(const tprt_selector *selector = nullptr,
                           tprt_status *later = nullptr, uint64_t init = 0);

// The first steps of every call that selects sites. `inside` says whether a
// handler makes the call; `call` is the call's name, for the text of that
// failure.
tprt_status beginToSelect(const tprt_selector *selector, bool inside,
                          const char *call);

// Flips the probe's sites from `first` of its list on, as one batch, and
// removes refused sites from the list. Called under the lock, with the modules
// of the sites pinned.
tprt_status enableSites(tprt_probe *probe, size_t first, tprt_result &result);

// Takes the probe off those of its sites that `leaves` chooses, and off no
// point. The handler may still run there for a moment, and a detach of the
// probe waits for it. Adds the number of these sites to *count. Any status but
// OK: the sites are still in the probe's list, and the call can be repeated.
// Without the lock.
tprt_status detachSites(tprt_probe *probe,
                        bool (*leaves)(const tprt_site &site, void *data),
                        void *data, size_t *count);

// Frees a probe that is on at no site any more, and stores nullptr in *place,
// if there is a place. Does nothing if the probe was freed meanwhile. Without
// the lock.
void freeProbe(tprt_probe *probe, tprt_probe **place = nullptr);
// Gives back the structure of a probe that was freed, once no action list
// refers to it any more. Under the lock.
void releaseProbe(tprt_probe *probe);

} // namespace tprt

#endif
