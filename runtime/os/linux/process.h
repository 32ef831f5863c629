// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What trial.cpp tells hits, beside what core/os.h has.
#ifndef TPRT_OS_PROCESS_H
#define TPRT_OS_PROCESS_H

#include "core/os.h"

namespace tprt {

// What mayAsk() says from now on. Under the lock.
void setMayAsk(HitCall call, bool may);

} // namespace tprt

#endif
