// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See probe_links.h.
#include "probes/probe_links.h"
#include "probes/api.h"
#include "probes/detach.h"

namespace tprt {

tprt_status detachLinks(ProbeLink *first, int timeoutMs, uint64_t caller,
                        bool inside) {
  tprt_status worst = TPRT_STATUS_OK;
  for (ProbeLink *link = first; link; link = link->next) {
    if (!link->probe)
      continue;
    // One wait is enough; the other probes are taken off all the same.
    tprt_status status =
        detach(link->probe, worst == TPRT_STATUS_OK ? timeoutMs : 0, caller,
               inside, &link->probe);
    if (status != TPRT_STATUS_OK)
      worst = status;
  }
  return worst;
}

tprt_status detachSitesOfLinks(ProbeLink *first,
                               bool (*leaves)(const tprt_site &site,
                                              void *data),
                               void *data, size_t *count) {
  tprt_status status = TPRT_STATUS_OK;
  for (ProbeLink *link = first; link && status == TPRT_STATUS_OK;
       link = link->next)
    if (link->probe)
      status = detachSites(link->probe, leaves, data, count);
  return status;
}

size_t sitesOfLinks(const ProbeLink *first) {
  size_t count = 0;
  for (const ProbeLink *link = first; link; link = link->next)
    if (link->probe)
      count += link->probe->sites.size();
  return count;
}

} // namespace tprt
