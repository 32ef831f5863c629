// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The function by which trial.cpp tells hits which system calls they may make.
// The core's functions of process.cpp are in core/os.h.
#ifndef TPRT_OS_PROCESS_H
#define TPRT_OS_PROCESS_H

#include "core/os.h"

namespace tprt {

// Sets what mayAsk() returns from now on. Under the lock.
void setMayAsk(HitCall call, bool may);

} // namespace tprt

#endif
