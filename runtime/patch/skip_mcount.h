// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Skipping the calls of profilers: what each action does at such a call, and
// what keeps calls and puns apart. Called under the lock.
#ifndef TPRT_PATCH_SKIP_MCOUNT_H
#define TPRT_PATCH_SKIP_MCOUNT_H

#include "sites/arch.h"

namespace tprt {

// Whether the action makes sense at this site of a code module, as far as calls
// of profilers are concerned.
bool suitsCall(const tprt_site &site, const tprt_action &action);

} // namespace tprt

#endif
