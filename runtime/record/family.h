// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A family: a command that was given TPRT_OPTIONS, and the programs that it
// starts with the same environment. Any thread; not in hits.
#ifndef TPRT_RECORD_FAMILY_H
#define TPRT_RECORD_FAMILY_H

#include <stdint.h>

namespace tprt {

// Whether the process with this number was given TPRT_OPTIONS. False if its
// environment cannot be read.
bool wasGivenOptions(uint32_t process);

// When the first process of this process's family began, in nanoseconds of
// CLOCK_MONOTONIC, up to 10 ms too early. 0 if this process is the first, or if
// /proc does not show that.
uint64_t familyBegan();

} // namespace tprt

#endif
