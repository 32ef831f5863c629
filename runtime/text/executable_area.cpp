// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See executable_area.h. Called under the lock.
#include "text/executable_area.h"
#include "text/text_writer.h"

namespace tprt {

PageRun ExecutableArea::nextRun(size_t from, size_t gap) const {
  size_t first = from;
  while (first < states.size() && !isWanted(first))
    ++first;
  if (first == states.size())
    return {first, first};
  size_t last = first; // after the last wanted page
  for (size_t i = first; i < states.size() && i - last <= gap; ++i) {
    if (isMade(i)) {
      last = i;
      break;
    }
    if (isWanted(i))
      last = i + 1;
  }
  for (size_t i = first; i-- > 0 && first - i <= gap + 1;)
    if (isMade(i)) {
      first = i + 1;
      break;
    }
  return {first, last};
}

// No thread can reach the pages yet. makeExecutable() publishes them to
// instruction fetches where the processor requires that (publishCode()), and a
// batch synchronises all cores before its first store leads to them (batch.h;
// docs/explanation/safety.md names the sections of the manuals).
bool ExecutableArea::finish(PageRun run, bool written) {
  const bool done =
      written && makeExecutable(addressOf(run.first),
                                (run.last - run.first) * pageBytes());
  for (size_t page = run.first; page < run.last; ++page)
    if (isWanted(page)) {
      states[page] = done ? PageState::Made : PageState::Absent;
      made += done;
    }
  return done;
}

} // namespace tprt
