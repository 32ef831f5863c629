// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the exported calls take structures of callers that were compiled with
// another version's tprt.h, and what stands behind these calls. Everything
// below works with this version's structures alone.
#ifndef TPRT_CORE_API_H
#define TPRT_CORE_API_H

#include "tprt/tprt.h"

namespace tprt {

// What is known of a caller's layout.
enum class Caller {
  Known,   // of this version or an earlier one
  Later,   // compiled with a later version's header
  Earlier, // compiled with the header of a version before 0.2, or made up
};
// Async-signal-safe.
Caller callerOf(const tprt_layout *layout);

// OK, or the failure with its text. Not inside a handler.
tprt_status refuseCaller(const tprt_layout *layout);

// Copies a structure of `from` bytes to one of `to` bytes. What the shorter one
// lacks is zero in the longer one. Async-signal-safe, without vector registers.
void copyStructure(void *to, size_t toBytes, const void *from,
                   size_t fromBytes);

// A caller's structure as this version has it.
template <class T> class Taken {
public:
  Taken(const T *given, size_t bytes) : given(given) {
    if (given)
      copyStructure(&value, sizeof value, given, bytes);
  }
  // NULL where the caller gave none.
  const T *get() const { return given ? &value : nullptr; }

private:
  const T *given;
  T value{};
};

// Behind the exported calls of the same names, in attach.cpp and query.cpp.
// Pointers are as the caller gave them; `out` is filled whatever the status.
tprt_status attach(const tprt_selector *selector, const tprt_action *action,
                   tprt_probe **probe, tprt_result &out);
tprt_status visitSites(const tprt_selector *selector, tprt_site_visitor visit,
                       void *data);
tprt_status describeSite(const tprt_site *site, tprt_site_info &out);
void readStats(tprt_stats &out);

} // namespace tprt

#endif
