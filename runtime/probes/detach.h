// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Detaches probes from sites.
#ifndef TPRT_PROBES_DETACH_H
#define TPRT_PROBES_DETACH_H

#include "actions/probe.h"

namespace tprt {

// Detaches the probe from those of its sites that `leaves` chooses, but never
// from points. The handler may still run at these sites for a moment. A later
// detach of the probe waits until the handler has returned. Adds the number of
// these sites to *count. If the status is not OK, the sites are still in the
// probe's list, and the call can be repeated. Called without the lock.
tprt_status detachSites(tprt_probe *probe,
                        bool (*leaves)(const tprt_site &site, void *data),
                        void *data, size_t *count);

// Frees a probe that is not on at any site any more. If `place` is not nullptr,
// stores nullptr in *place. Does nothing if the probe was freed in the
// meantime. Called without the lock.
void freeProbe(tprt_probe *probe, tprt_probe **place = nullptr);

} // namespace tprt

#endif
