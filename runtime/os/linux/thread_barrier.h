// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions of thread_barrier.cpp that only other files of os/linux/ call.
// The functions for the core are in base/os_text.h.
#ifndef TPRT_OS_LINUX_THREAD_BARRIER_H
#define TPRT_OS_LINUX_THREAD_BARRIER_H

namespace tprt {

// Called before code is written or memory is made executable: the cores must be
// synchronized again afterward. Called under the lock.
void noteCodeChange();

// Whether registering and the barrier itself both work. Makes both system calls
// without a trial (seccomp_trial.h).
bool membarrierWorks();

} // namespace tprt

#endif
