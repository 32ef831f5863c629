// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Durations as a part of the library; see core/part.h.
#ifndef TPRT_OPTIONAL_DURATION_H
#define TPRT_OPTIONAL_DURATION_H

#include "core/part.h"
#include "tprt/tprt.h"

namespace tprt {

// A thread's calls under way, for one set of durations.
struct OpenCall {
  uint64_t stack; // stack pointer at the entry; 0: ended on another thread
  const tprt_site *entry;
  uint64_t start;
  uint64_t arguments[TPRT_ARGUMENT_REGISTERS];
};
constexpr uint32_t kMostOpen = 4096;
struct OpenCalls {
  uint32_t count;
  OpenCall calls[kMostOpen];
};
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
