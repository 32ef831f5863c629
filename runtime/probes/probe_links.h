// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The probes of one group, which are attached and detached together: a group of
// timed functions (timing/), or of aggregated hits (aggregate/). A handler gets
// its probe's link as its data. Not in hits.
#ifndef TPRT_PROBES_PROBE_LINKS_H
#define TPRT_PROBES_PROBE_LINKS_H

#include "actions/probe.h"

namespace tprt {

struct ProbeLink {
  ProbeLink *next; // Of the group.
  // nullptr: it is detached. Changes under the lock.
  tprt_probe *probe;
};

// Detaches the probes of all links. `caller`: see detach() in probes/api.h. Any
// status but OK: repeat the call; handlers may still use the links.
tprt_status detachLinks(ProbeLink *first, int timeoutMs, uint64_t caller,
                        bool inside);
// Detaches the sites that `leaves` chooses. Adds the number of sites to *count.
// Any status but OK: repeat the call.
tprt_status detachSitesOfLinks(ProbeLink *first,
                               bool (*leaves)(const tprt_site &site,
                                              void *data),
                               void *data, size_t *count);
// How many sites the probes are on at. Under the lock.
size_t sitesOfLinks(const ProbeLink *first);

} // namespace tprt

#endif
