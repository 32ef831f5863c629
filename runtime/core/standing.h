// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Probes by pattern that also take the sites of modules loaded later, and the
// references by which probes keep modules loaded. Under the lock, but for
// haveStanding() and attachStanding().
#ifndef TPRT_CORE_STANDING_H
#define TPRT_CORE_STANDING_H

#include "core/module.h"
#include "core/pins.h"
#include "core/probe.h"

namespace tprt {

// From now on the probe takes what comes; or no longer.
void stand(tprt_probe *probe);
void stopStanding(tprt_probe *probe);
// Whether any probe does: a hint, without the lock.
bool haveStanding();

// A module came: those probes that stand are to look at it. False: no memory.
bool noteArrival(Module *module);

// Attaches the standing probes to the modules that came since they last looked,
// one batch a probe. OK, or the first status that was not. Without the lock.
tprt_status attachStanding();

// Keeps the modules of all sites that the probe lists from `first` on loaded,
// taking over pins. None of these modules has other sites of the probe.
// reserveHolds() first, where it may fail.
bool reserveHolds(tprt_probe *probe, size_t first);
void holdModules(tprt_probe *probe, size_t first, Pins &pins);
// The references that nobody needs any more, to be given back without the lock.
void releaseModules(tprt_probe *probe, Array<Pin> &unused);

// Asks for pins of all modules that have sites in batch[first...] and could go.
// False: no memory. Nothing is wanted then, or it was tried in vain: all are
// pinned that can be.
bool wantPins(const Array<uint32_t> &batch, size_t first, Pins &pins);
// Takes the sites of modules that are not pinned out of the batch.
void dropUnpinned(Array<uint32_t> &batch, size_t first, Pins &pins);

} // namespace tprt

#endif
