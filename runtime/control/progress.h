// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether tools make progress. Async-signal-safe.
#ifndef TPRT_CONTROL_PROGRESS_H
#define TPRT_CONTROL_PROGRESS_H

#include <stddef.h>
#include <stdint.h>

namespace tprt {

// The nanoseconds that the threads of a process have run; 0 if that is not
// known, because the process has ended or is not visible from here.
uint64_t processorTime(int32_t pid);

// Whether a request asks for a page after the first one.
bool isLaterPage(const char *request, size_t bytes);

// The state of the tools at some time, in nanoseconds.
struct ToolsSeen {
  uint64_t now;
  uint64_t worked;   // How long their threads have run.
  uint64_t answered; // When a tool last got an answer.
  uint64_t news;     // When a tool last got an answer to something new.
  bool asking;       // An answer is being made.
};

// How long the process waits for tools: as long as they make progress. If a
// tool has neither asked nor worked for `silence`, it counts as stopped. If it
// has asked for nothing new for `most`, it would never finish. kLongest bounds
// the whole wait.
class Patience {
public:
  static constexpr uint64_t kLongest = 600'000'000'000;
  Patience(const ToolsSeen &first, uint64_t silence, uint64_t most)
      : silence(silence), most(most), began(first.now), active(first.now),
        worked(first.worked) {}
  // Whether to continue to wait.
  bool lasts(const ToolsSeen &seen) {
    if (seen.asking || seen.worked > worked)
      active = seen.now;
    else if (seen.answered > active)
      active = seen.answered;
    worked = seen.worked;
    return seen.now < active + silence && seen.now < began + kLongest &&
           seen.now < (seen.news > began ? seen.news : began) + most;
  }

private:
  uint64_t silence, most, began, active, worked;
};

} // namespace tprt

#endif
