// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pending probes: probes by pattern that also probe the sites of modules loaded
// later. Also the references by which probes keep modules loaded. Everything
// except havePending() and attachPending() is used under the lock.
#ifndef TPRT_PROBES_PENDING_PROBES_H
#define TPRT_PROBES_PENDING_PROBES_H

#include "actions/probe.h"
#include "loader/module_refs.h"
#include "modules/module.h"

namespace tprt {

// stand() makes a probe a pending probe; stopPending() ends that.
void stand(tprt_probe *probe);
void stopPending(tprt_probe *probe);
// Whether there is any pending probe. A hint, read without the lock.
bool havePending();

// Attaches the pending probes to the modules that were loaded since they last
// looked, one batch per probe. Returns OK, or the first status that is not OK.
// Without the lock.
tprt_status attachPending();

// holdModules() keeps loaded the modules of all sites from index `first` of the
// probe's list on, and takes over their pins. None of these modules has other
// sites of the probe. reserveHolds() has to be called first, because it alone
// can fail (false: no memory).
bool reserveHolds(tprt_probe *probe, size_t first);
void holdModules(tprt_probe *probe, size_t first, Pins &pins);
// Adds the references that are no longer needed to `unused`. The caller
// releases them without the lock.
void releaseModules(tprt_probe *probe, Array<Pin> &unused);

// Asks for pins of all modules that have sites in batch[first...] and can be
// unloaded. False: no memory. If `pins` wants no module afterwards, each of
// these modules is held or could not be pinned.
bool wantPins(const Array<uint32_t> &batch, size_t first, Pins &pins);
// Removes the sites of modules that are not pinned from the batch.
void dropUnpinned(Array<uint32_t> &batch, size_t first, Pins &pins);

} // namespace tprt

#endif
