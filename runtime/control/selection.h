// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The patterns or sites of a request, and the selectors that they become. On
// the work thread.
#ifndef TPRT_CONTROL_SELECTION_H
#define TPRT_CONTROL_SELECTION_H

#include "control/message.h"

namespace tprt {

// A copy of a request's patterns. Probes that were attached with its selectors
// refer to its `!` patterns, so it has to live as long as they do. Made by
// readSelection(), freed by freeSelection().
struct Selection {
  Selection *next; // for its owner
  size_t bytes;    // of this structure with all that is after it
  uint32_t kinds, flags;
  // The patterns that take something, and all patterns in the order of names to
  // leave out: the '!' ones without their '!', then the others. So the selector
  // of pattern i leaves out the first `nots` + i of `left`, and no site belongs
  // to two selectors, unless one of them is by source file.
  uint32_t count, nots, siteCount;
  const char **takes, **left;
  const tprt_site **sites;
  // For its owner: the probe of each selector; nullptr: there is none.
  tprt_probe **probes;
  char *text; // All patterns with one space between them.
};

// Reads what is after a selection's numbers. nullptr: `answer` says why
// not, and `status` is set.
Selection *readSelection(const tprt_control_selection &numbers,
                         Request &request, Answer &answer, tprt_status &status);
void freeSelection(Selection *selection);

// How many selectors a selection becomes.
inline uint32_t selectorsOf(const Selection &selection) {
  return selection.siteCount ? 1 : selection.count;
}
// While this object exists, selectors with kSelectWithoutExcluded leave out
// what the i-th selector of the selection is to leave out.
class SelectorOf {
public:
  SelectorOf(const Selection &selection, uint32_t i);
  ~SelectorOf();
  SelectorOf(const SelectorOf &) = delete;
  SelectorOf &operator=(const SelectorOf &) = delete;
  tprt_selector selector{};

private:
  const char *const *before;
  size_t countBefore;
};

} // namespace tprt

#endif
