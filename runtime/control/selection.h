// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The patterns or sites of a request, and the selectors that they become. On
// the work thread.
#ifndef TPRT_CONTROL_SELECTION_H
#define TPRT_CONTROL_SELECTION_H

#include "control/message.h"

namespace tprt {

// A copy of a request's patterns. Probes that were attached with its selectors
// refer to its `!` patterns, so a selection has to live as long as these
// probes. Made by readSelection(), freed by freeSelection().
struct Selection {
  Selection *next; // for its owner
  size_t bytes;    // of this structure with everything after it
  uint32_t kinds, flags;
  // `count` patterns select sites. `left` has the patterns of names to leave
  // out: first the '!' patterns without their '!', then `names` others, the
  // same texts as in `takes`. The selector of pattern i leaves out the '!'
  // patterns and the names before it. So no site belongs to two selectors,
  // unless one of them is by source file or of single instructions.
  uint32_t count, nots, names, siteCount;
  const char **takes, **left;
  const tprt_site **sites;
  // For its owner: the probe of each selector; nullptr: there is none.
  tprt_probe **probes;
  char *text; // All patterns with one space between them.
};

// Reads the part of a request after a selection's numbers. If it is faulty,
// returns nullptr, writes the reason to `answer`, and sets `status`.
Selection *readSelection(const tprt_control_selection &numbers,
                         Request &request, Answer &answer, tprt_status &status);
void freeSelection(Selection *selection);

// How many selectors a selection becomes.
inline uint32_t selectorsOf(const Selection &selection) {
  return selection.siteCount ? 1 : selection.count;
}
// Reads the code of all single instructions that the selection requests. Each
// module is decoded once, and not again for each selector.
void readAhead(const Selection &selection);
// While this object exists, selectors with kSelectWithoutExcluded leave out the
// names that belong to the i-th selector of the selection.
class SelectorOf {
public:
  SelectorOf(const Selection &selection, uint32_t i);
  ~SelectorOf();
  SelectorOf(const SelectorOf &) = delete;
  SelectorOf &operator=(const SelectorOf &) = delete;
  tprt_selector selector{};

  // Whether the selector finds nothing because earlier selectors of the
  // selection have found the same.
  bool isOfEarlier(tprt_status status) const;

private:
  size_t countNots;
  const char *const *before;
  size_t countBefore;
};

} // namespace tprt

#endif
