// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pending probes: probes by pattern that also probe the sites of modules loaded
// later. Also the references by which probes keep modules loaded. All functions
// except havePending() and attachPending() are called under the lock.
#ifndef TPRT_PROBES_PENDING_PROBES_H
#define TPRT_PROBES_PENDING_PROBES_H

#include "actions/probe.h"
#include "loader/module_refs.h"
#include "modules/module.h"

namespace tprt {

// addPending() makes a probe a pending probe; stopPending() ends that.
void addPending(tprt_probe *probe);
void stopPending(tprt_probe *probe);
// Whether there is any pending probe. The result is a hint, because it is read
// without the lock.
bool havePending();

// Attaches the pending probes to the modules that were loaded since each
// probe's last scan, as one batch per probe. Returns OK, or the first status
// that is not OK. Called without the lock.
tprt_status attachPending();

// holdModules() keeps the modules of all sites from index `first` of the
// probe's list on loaded, and takes ownership of their pins. None of these
// modules has other sites of the probe. Call reserveHolds() first. It returns
// false if there is no memory, so that holdModules() cannot fail.
bool reserveHolds(tprt_probe *probe, size_t first);
void holdModules(tprt_probe *probe, size_t first, Pins &pins);
// Adds the references that are no longer needed to `unused`. The caller
// releases them without the lock.
void releaseModules(tprt_probe *probe, Array<Pin> &unused);

// Requests pins of all modules that have sites in batch[first...] and can be
// unloaded. Returns false if there is no memory. If `pins` requests no module
// afterwards, each of these modules is held or could not be pinned.
bool wantPins(const Array<uint32_t> &batch, size_t first, Pins &pins);
// Removes the sites of modules that are not pinned from the batch.
void dropUnpinned(Array<uint32_t> &batch, size_t first, Pins &pins);

} // namespace tprt

#endif
