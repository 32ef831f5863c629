// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory for code that the runtime writes: the stubs of a region
// (stub_regions.h), and the islands of a run of code (jump_islands.h). A page
// of an area is written once, with everything that it will ever contain. Then
// it becomes executable, and is not changed any more. So no thread ever runs
// code that is being written. All bits zero are an area without pages.
// Everything here is used under the lock, except isMade().
#ifndef TPRT_TEXT_EXECUTABLE_AREA_H
#define TPRT_TEXT_EXECUTABLE_AREA_H

#include "base/array.h"
#include "base/page_size.h"

namespace tprt {

enum class PageState : uint8_t {
  Absent, // Nothing in the page is needed yet.
  Wanted, // The next makeWanted() writes the page.
  Made    // The page is executable and final.
};

// Consecutive pages [first, last) of an area.
struct PageRun {
  size_t first, last;
};

class ExecutableArea {
public:
  // Sets the address and the size of the area's memory, in bytes. Both are
  // multiples of a page. Returns false if there is no memory for the list of
  // states.
  bool open(uint64_t address, size_t bytes) {
    start = address;
    return states.resize(bytes / pageBytes());
  }

  uint64_t address() const { return start; }
  size_t pageCount() const { return states.size(); }
  size_t madePages() const { return made; }
  bool isComplete() const { return made == states.size(); }
  size_t pageOf(uint64_t at) const { return (at - start) / pageBytes(); }
  uint64_t addressOf(size_t page) const { return start + page * pageBytes(); }

  // Hits ask this without the lock (letRecord()). A state is one byte, and a
  // page that is Made stays so while the module is loaded. A hit that still
  // reads the state of before leaves the stub's word 0, so the stub goes to the
  // slow path.
  bool isMade(size_t page) const { return states[page] == PageState::Made; }
  bool isWanted(size_t page) const { return states[page] == PageState::Wanted; }
  bool wantsAny() const { return wanted; }
  void want(size_t page) {
    if (states[page] != PageState::Absent)
      return;
    states[page] = PageState::Wanted;
    wanted = true;
  }
  void wantAll() {
    for (size_t page = 0; page < states.size(); ++page)
      want(page);
  }

  // Makes all wanted pages. `write` is called for each run of pages before the
  // run becomes executable. It writes the contents of those pages in the run
  // that are Wanted, and returns false if the pages cannot be written. Pages
  // that cannot be made become Absent again. Returns false if there are any.
  //
  // A run may contain Absent pages as well, up to `gap` pages in a row: between
  // wanted pages, and between a wanted page and one that is already made. A
  // run's pages become executable by one call, and neighboring runs share a
  // mapping of the kernel.
  template <class Write> bool makeWanted(size_t gap, const Write &write) {
    bool all = true;
    wanted = false;
    for (PageRun run = nextRun(0, gap); run.first < run.last;
         run = nextRun(run.last, gap))
      all &= finish(run, write(run));
    return all;
  }

private:
  // The first run from page `from` on. Empty if no page is wanted.
  PageRun nextRun(size_t from, size_t gap) const;
  // Makes the run's pages executable if they were written. Returns false if
  // they are not executable.
  bool finish(PageRun run, bool written);

  uint64_t start;
  Array<PageState> states; // One item per page.
  size_t made;             // How many pages are Made.
  bool wanted;             // At least one page is Wanted.
};

} // namespace tprt

#endif
