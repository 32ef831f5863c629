// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums of calls by return address.
#ifndef TPRT_TIMING_CALLER_SUMS_H
#define TPRT_TIMING_CALLER_SUMS_H

#include "timing/thread_sums.h"

namespace tprt {

// The sums of a function for the calls that return to this address. The
// function's own sums if there is no room. In hits.
FunctionTimes &timesOfCaller(TimedTally &tally, FunctionTimes &function,
                             uint64_t returnAddress);

} // namespace tprt

#endif
