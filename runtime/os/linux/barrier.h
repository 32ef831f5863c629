// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What other files here ask of barriers, beside what core/os.h has.
#ifndef TPRT_OS_BARRIER_H
#define TPRT_OS_BARRIER_H

namespace tprt {

// Code is about to be written, or to become executable. Under the lock.
void unsettleCores();

// Both system calls, without a trial (trial.h).
bool membarrierWorks();

} // namespace tprt

#endif
