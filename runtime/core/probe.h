// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A probe: an action on a set of sites.
#ifndef TPRT_CORE_PROBE_H
#define TPRT_CORE_PROBE_H

#include "core/memory.h"
#include "core/plain/site.h"
#include "core/select.h"

struct tprt_probe {
  tprt_action action;
  tprt::Array<uint32_t> sites; // indexes, see endOfModule()
  tprt::Array<uint64_t>
      baselines; // of a counting probe: the sites' counters at attachment
  tprt::Array<tprt::Module *>
      held;          // the modules of these sites, which may not be unloaded
  bool detached;     // no new hits; waiting for the last ones
  bool over;         // the same, for dispatchers; atomic
  bool direct;       // some chain calls its handler without the dispatcher
  bool strays;       // its handler may also run at a site that it does not list
  bool gone;         // freed, but for this structure, which chains refer to
  uint32_t chains;   // that have it in their entries
  uint32_t waiters;  // calls of detach that refer to it, mostly as they wait
  uint64_t everyKey; // of actions with `every`; else 0
  bool standing;     // in the list of probes that take modules that come later
  tprt_probe *nextStanding;
  uint64_t mark;   // see isProbe(); anything else once it is freed
  uint64_t seen;   // while it stands: it has looked at all modules up to this
                   // epoch
  uint64_t number; // of all that ever stood; no other has it
  tprt::Pattern pattern; // as asked for
};

namespace tprt {

// A new one, with everything zero; nullptr: no memory. Under the lock.
tprt_probe *makeProbe();
// Whether it is one that was attached and not freed, wherever it points to.
// Under the lock.
bool isProbe(const tprt_probe *probe);

// Brings the list of modules up to date. Without the lock. Probes that stand
// take their sites of new modules on the way. *later, if asked for, is how that
// went. `foreign`: see TPRT_SELECT_FOREIGN.
tprt_status refreshModules(bool foreign = false, tprt_status *later = nullptr);

// What a call that selects sites begins with: `inside` says whether a handler
// makes it, `call` is its name in that failure's text.
tprt_status beginToSelect(const tprt_selector *selector, bool inside,
                          const char *call);

// Flips the sites that the probe lists from `first` on, as one batch, and drops
// those that are refused from the list. Under the lock, with their modules
// pinned.
tprt_status enableSites(tprt_probe *probe, size_t first, tprt_result &result);

// Of a probe that is on nowhere any more; does nothing if it was freed
// meanwhile. Without the lock.
void freeProbe(tprt_probe *probe);
// Another thing that chains refer to: gives back the structure of a probe that
// was freed, once no chain refers to it. Under the lock.
void releaseProbe(tprt_probe *probe);

} // namespace tprt

#endif
