// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The memory of printed lines. A line would occupy half of a small signal
// stack, so each thread allocates a page at its first line and keeps it for all
// its lines. The component's per-thread state points to the page. Used in hits:
// async-signal-safe.
#ifndef TPRT_POINTS_LINE_BUFFER_H
#define TPRT_POINTS_LINE_BUFFER_H

#include "aggregate/aggregate_table.h"
#include "threads/component.h"

namespace tprt {

struct ThreadLine {
  char *page; // nullptr means that there is no page yet, or that a line is
              // being made in it.
};
inline constexpr Component linesComponent{
    .stateAt = aggregatesComponent.stateAt + aggregatesComponent.stateBytes,
    .stateBytes = sizeof(ThreadLine)};

// takeLine() returns TPRT_LINE_LIMIT bytes, which no other code uses until
// giveLine(). It returns nullptr if there is no memory. If longjmp leaves a
// handler between the two calls, the thread loses its page. errno is preserved.
char *takeLine();
void giveLine(char *line);

} // namespace tprt

#endif
