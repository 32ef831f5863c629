// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attaches probes to sites.
#ifndef TPRT_PROBES_ATTACH_H
#define TPRT_PROBES_ATTACH_H

#include "actions/probe.h"

namespace tprt {

// Flips the probe's sites from `first` of its list on, as one batch, and
// removes refused sites from the list. Called under the lock, with the modules
// of the sites pinned.
tprt_status enableSites(tprt_probe *probe, size_t first, tprt_result &result);

} // namespace tprt

#endif
