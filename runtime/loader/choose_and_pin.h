// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The order in which a call chooses sites or modules, and keeps their modules
// loaded. The loader's lock comes before the runtime's, so this cannot happen
// in one step. In the meantime, other threads may load or unload modules, or
// may read names and code. So it happens in rounds:
// 1. Without the lock: prepare what the choice needs (names, decoded code).
// 2. Under the lock: choose. The choice is final if it has everything that it
//    needs. Otherwise it wants pins (module_refs.h), or more names or code.
// 3. Without the lock: pin the wanted modules. Then bring the list of modules
//    up to date, which closes modules that were unloaded meanwhile. A module
//    that is still in the list is the pinned module.
//
// attach, probes that wait for modules, the visit of sites, and the readers of
// code, of instructions and of patchable entries all use it.
#ifndef TPRT_LOADER_CHOOSE_AND_PIN_H
#define TPRT_LOADER_CHOOSE_AND_PIN_H

#include "loader/loader_walk.h"
#include "loader/module_refs.h"
#include "threads/lock.h"

namespace tprt {

// What choose() is told about its round.
struct Round {
  bool memory; // Nothing has failed for lack of memory so far.
  // The choice may ask for a further round. This ends after some rounds, so
  // that threads which load and unload modules all the time cannot keep a call
  // from ending. The choice then leaves out what is not ready.
  bool mayWait;
};

// Calls prepare() and choose(Round) by turns until choose() returns true.
// prepare() returns false if there is no memory, and is then not called again.
// `patchable` is walkModules()'s. Called without the lock, not in hits.
template <class Prepare, class Choose>
void chooseAndPin(Pins &pins, const Prepare &prepare, const Choose &choose,
                  bool patchable = false) {
  bool memory = true;
  for (unsigned round = 0;; ++round) {
    memory = memory && prepare();
    {
      Lock lock;
      if (choose(Round{memory, memory && round < Pins::kMostRounds}))
        return;
    }
    pins.take();
    memory = walkModules(patchable) && memory;
  }
}

} // namespace tprt

#endif
