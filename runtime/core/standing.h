// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Probes by pattern that also take the sites of modules loaded later, and the
// references by which probes keep modules loaded. Under the lock, but for
// haveStanding().
#ifndef TPRT_CORE_STANDING_H
#define TPRT_CORE_STANDING_H

#include "core/probe.h"

namespace tprt {

// From now on the probe takes what comes; or no longer.
void stand(tprt_probe *probe);
void stopStanding(tprt_probe *probe);
// Whether any probe does: a hint, without the lock.
bool haveStanding();

// Attaches the standing probes to the modules that were adopted since the last
// call, one batch a probe. OK, or the first status that was not.
tprt_status attachStanding(Array<Pin> &pins);

// Keeps the modules of all sites that the probe lists from `first` on loaded,
// taking over pins. reserveHolds() first, where it may fail.
bool reserveHolds(tprt_probe *probe);
void holdModules(tprt_probe *probe, size_t first, Array<Pin> &pins);
// The references that nobody needs any more, to be given back without the lock.
void releaseModules(tprt_probe *probe, Array<Pin> &unused);

} // namespace tprt

#endif
