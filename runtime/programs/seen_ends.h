// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions whose calls can be seen to end, for programs at the end of
// calls and for scopes. An exit may be refused, so a function may have an entry
// alone.
#ifndef TPRT_PROGRAMS_SEEN_ENDS_H
#define TPRT_PROGRAMS_SEEN_ENDS_H

#include "sites/site.h"

#include <stdint.h>

namespace tprt {

class SeenEnds {
public:
  // False: no memory. Not in hits.
  bool reserve();
  // No thread is in has(), nor will be. Not in hits.
  void release();
  bool isReserved() const { return known; }

  // Whether the ends of the function's calls are seen. The answer is kept from
  // the first time on that `mayAsk()` returns true; until then it is false. In
  // hits.
  template <class MayAsk> bool has(const tprt_site *entry, MayAsk mayAsk) {
    const uint8_t now =
        __atomic_load_n(&known[indexOf(entry)], __ATOMIC_RELAXED);
    if (__builtin_expect(now == NotAsked, 0))
      return mayAsk() && ask(entry);
    return now == Seen;
  }

private:
  bool ask(const tprt_site *entry);

  enum : uint8_t { NotAsked, Seen, NotSeen };
  // By the number of an entry's site. Hits on all threads write it.
  uint8_t *known;
};

} // namespace tprt

#endif
