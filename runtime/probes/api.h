// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts structures of callers that were compiled with another version's
// tprt.h, and declares the functions that implement the exported calls. These
// functions use this version's structures only.
#ifndef TPRT_PROBES_API_H
#define TPRT_PROBES_API_H

#include "tprt/tprt.h"

namespace tprt {

// What is known about a caller's layout of structures.
enum class Caller {
  Known, // compiled with this version's header or an earlier one's
  Later, // compiled with a later version's header
  // Compiled with the header of a version before 0.2, or the layout is invalid.
  Earlier,
};
// Async-signal-safe.
Caller callerOf(const tprt_layout *layout);

// Returns OK, or fails with a text. Not called inside a handler.
tprt_status refuseCaller(const tprt_layout *layout);

// Copies a structure of `fromBytes` bytes to one of `toBytes` bytes. Members
// that the shorter structure lacks become zero in the longer one.
// Async-signal-safe, without vector registers.
void copyStructure(void *to, size_t toBytes, const void *from,
                   size_t fromBytes);

// A copy of a caller's structure in this version's layout.
template <class T> class Taken {
public:
  Taken(const T *given, size_t bytes) : given(given) {
    if (given)
      copyStructure(&value, sizeof value, given, bytes);
  }
  // NULL if the caller passed NULL.
  const T *get() const { return given ? &value : nullptr; }

private:
  const T *given;
  T value{};
};

// Which component provides an action's handler.
enum class Handler {
  OfProgram,
  // This library. The handler uses no vector registers, and makes its system
  // calls in keepVectorsIn() (arch.h). So if a hit calls no other handler, it
  // need not save the vector registers.
  KeepsVectors,
  // There is no handler: the hits are counted, and CounterReading can
  // distinguish threads between countApart() and stopCountingApart().
  CountsByThread,
};

// The exported functions of the same names call these functions, which are
// defined in attach.cpp, detach.cpp and query.cpp. Pointers are passed on from
// the caller unchanged. `out` is filled in regardless of the status. `inside`
// says whether a handler makes the call, determined in the exported function's
// frame (insideHandler()). `caller` is the CFA of that frame. `here` is the
// result of stackOfCaller() in that frame. attach() stores the probe under the
// lock. If detach() receives the address of the caller's pointer to the probe,
// it stores nullptr at this address, under the lock, when it frees the probe.
// So the pointer is correct in the child of a fork() at any time.
tprt_status attach(const tprt_selector *selector, const tprt_action *action,
                   tprt_probe **probe, tprt_result &out, bool inside,
                   Handler handler = Handler::OfProgram);
tprt_status detach(tprt_probe *probe, int timeoutMs, uint64_t caller,
                   bool inside, tprt_probe **place = nullptr);
tprt_status visitSites(const tprt_selector *selector, tprt_site_visitor visit,
                       void *data, bool inside);
tprt_status describeSite(const tprt_site *site, tprt_site_info &out,
                         uint64_t here);
// Must not be called in handlers.
void readStats(tprt_stats &out);

} // namespace tprt

#endif
