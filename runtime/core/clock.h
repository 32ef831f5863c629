// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The system's clock, and how long a tick of the processor's counter is.
#ifndef TPRT_CORE_CLOCK_H
#define TPRT_CORE_CLOCK_H

#include <stdint.h>

namespace tprt {

// CLOCK_MONOTONIC. Async-signal-safe.
uint64_t nanoseconds();

// Takes the first of the two readings that tprt_ticks_to_ns() compares.
void initialiseClock();

} // namespace tprt

#endif
