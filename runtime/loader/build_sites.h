// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes the sites of a module from its table.
#ifndef TPRT_LOADER_BUILD_SITES_H
#define TPRT_LOADER_BUILD_SITES_H

#include "modules/module.h"

namespace tprt {

// Makes sites from a module's records, including those of points. If
// `patchable` is not null, makes sites from the entries of a patchable section.
// The sites are in order, one per sled. After identical code folding, two
// records may have the same sled. Returns the number of sites.
uint32_t makeSites(Module *module, const uint64_t *patchable, tprt_site *out);

} // namespace tprt

#endif
