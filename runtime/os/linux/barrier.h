// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Making all cores see new code and new data.
#ifndef TPRT_OS_BARRIER_H
#define TPRT_OS_BARRIER_H

namespace tprt {

// Registers the process with the kernel. Once, early: while there is one thread
// it takes microseconds, later milliseconds. False: this kernel cannot.
bool registerBarrier();

// Every thread of this process executes a core-serialising instruction and a
// full memory barrier before it runs user code again, and so does the caller:
// membarrier(2), MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE. False: it failed,
// and nothing may be assumed.
bool synchroniseCores();

// The same, but nothing to do where no code was written since it last
// succeeded; then, too, false where it may not be called any more.
bool settleCores();
// Code is about to be written, or to become executable.
void unsettleCores();

// Both system calls, without a trial (trial.h).
bool membarrierWorks();

} // namespace tprt

#endif
