// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the handlers of a file call (tprt_run_api).
#ifndef TPRT_RUN_RUN_CALLS_H
#define TPRT_RUN_RUN_CALLS_H

#include "run/run_object.h"

namespace tprt {

// Fills in `api`.
void prepareRunApi(RunObject &object);

} // namespace tprt

#endif
