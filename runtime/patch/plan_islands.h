// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Islands of sites that a batch plans (site_plan.h). Used under the lock.
#ifndef TPRT_PATCH_PLAN_ISLANDS_H
#define TPRT_PATCH_PLAN_ISLANDS_H

#include "sites/site.h"

namespace tprt {

// Whether the site has a pun, and the pun's islands are made.
bool hasMadePun(const tprt_site &site);

} // namespace tprt

#endif
