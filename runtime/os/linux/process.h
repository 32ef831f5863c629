// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The function by which seccomp_trial.cpp sets which system calls hits may
// make. The functions of process.cpp that the core calls are in
// base/os_process.h.
#ifndef TPRT_OS_PROCESS_H
#define TPRT_OS_PROCESS_H

#include "base/os_process.h"

namespace tprt {

// Sets the later results of mayAsk(). Called under the lock.
void setMayAsk(HitCall call, bool may);

} // namespace tprt

#endif
