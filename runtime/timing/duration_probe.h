// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The list of open calls in each thread's block, which duration_probe.cpp
// keeps: see shadow_stack.h. Durations are a part of the library as
// threads/component.h describes.
#ifndef TPRT_TIMING_DURATION_PROBE_H
#define TPRT_TIMING_DURATION_PROBE_H

#include "threads/component.h"
#include "timing/shadow_stack.h"
#include "tprt/tprt.h"

namespace tprt {

// One call under way.
struct OpenCall {
  uint64_t stack; // See ShadowStack.
  const tprt_site *entry;
  uint64_t start;
  uint64_t arguments[TPRT_ARGUMENT_REGISTERS];
};
// All calls of a thread for one duration probe.
using OpenCalls = ShadowStack<OpenCall>;
constexpr unsigned kMostDurations = 8;

// What each thread's block holds: the thread's calls under way, by the slot of
// the duration probe. A list's memory is reserved when it is first needed.
struct ThreadDurations {
  OpenCalls *open[kMostDurations];
};
void beginThreadDurations(void *state);

inline constexpr Component durationsComponent{
    .stateAt = 0,
    .stateBytes = sizeof(ThreadDurations),
    .beginThread = beginThreadDurations};

} // namespace tprt

#endif
