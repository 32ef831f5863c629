// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Durations as a part of the library; see core/part.h.
#ifndef TPRT_OPTIONAL_DURATION_H
#define TPRT_OPTIONAL_DURATION_H

#include "core/part.h"

namespace tprt {

struct OpenCalls;
constexpr unsigned kMostDurations = 8;

// In each thread's block: its calls under way, for each set of durations.
// Reserved when first needed.
struct ThreadDurations {
  OpenCalls *open[kMostDurations];
};
void beginThreadDurations(void *state);

inline constexpr Part durationsPart{.stateAt = 0,
                                    .stateBytes = sizeof(ThreadDurations),
                                    .beginThread = beginThreadDurations};

} // namespace tprt

#endif
