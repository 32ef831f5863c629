// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Takes probes off sites.
#ifndef TPRT_PROBES_DETACH_H
#define TPRT_PROBES_DETACH_H

#include "actions/probe.h"

namespace tprt {

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

} // namespace tprt

#endif
