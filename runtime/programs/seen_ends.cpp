// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See seen_ends.h.
#include "programs/seen_ends.h"
#include "base/os_memory.h"
#include "base/page_size.h"
#include "threads/lock.h"
#include "timing/missing_exits.h"

namespace tprt {

// Address space, of which a page is used for 4096 sites.
static constexpr size_t kBytes = kMaxSites;

bool SeenEnds::reserve() {
  auto *made = static_cast<uint8_t *>(reservePages(roundToPages(kBytes)));
  Lock lock;
  known = made;
  return made;
}

// A child of fork() may go on after any of the two steps.
void SeenEnds::release() {
  uint8_t *before = known;
  known = nullptr;
  if (before)
    freePages(before, roundToPages(kBytes));
}

bool SeenEnds::ask(const tprt_site *entry) {
  const bool seen = hasExit(entry);
  __atomic_store_n(&known[indexOf(entry)], seen ? Seen : NotSeen,
                   __ATOMIC_RELAXED);
  return seen;
}

} // namespace tprt
