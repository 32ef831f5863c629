// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The memory of printed lines. A line would take half of a small signal stack,
// so each thread keeps a page for its lines from its first one on. The part's
// state points to the page. In hits: async-signal-safe.
#ifndef TPRT_POINTS_LINE_BUFFER_H
#define TPRT_POINTS_LINE_BUFFER_H

#include "threads/component.h"
#include "timing/call_timer.h"

namespace tprt {

struct ThreadLine {
  char *page; // nullptr: there is none yet, or a line is being made in it.
};
inline constexpr Component linesComponent{.stateAt = timesComponent.stateAt +
                                                     timesComponent.stateBytes,
                                          .stateBytes = sizeof(ThreadLine)};

// takeLine() returns TPRT_LINE_LIMIT bytes, which nobody else uses until
// giveLine(); nullptr: no memory. A handler that is left by longjmp in between
// loses its page. errno is kept.
char *takeLine();
void giveLine(char *line);

} // namespace tprt

#endif
