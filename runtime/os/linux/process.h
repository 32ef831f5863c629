// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The function by which seccomp_trial.cpp tells hits which system calls they
// may make. The core's functions of process.cpp are in base/os_process.h.
#ifndef TPRT_OS_PROCESS_H
#define TPRT_OS_PROCESS_H

#include "base/os_process.h"

namespace tprt {

// Sets what mayAsk() returns from now on. Under the lock.
void setMayAsk(HitCall call, bool may);

} // namespace tprt

#endif
