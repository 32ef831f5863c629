// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Durations for use inside the runtime. A follower is like a handler of
// tprt/duration.h, but is also called at entries, and keeps figures of its own
// behind each thread's open calls. timing.cpp is the one that uses it. A
// follower's functions run in hits, on any thread: they are async-signal-safe
// and take no lock.
#ifndef TPRT_OPTIONAL_FOLLOW_H
#define TPRT_OPTIONAL_FOLLOW_H

#include "optional/duration.h"
#include "tprt/duration.h"

namespace tprt {

struct Follower {
  // The size of the follower's own figures. They lie directly behind each
  // thread's OpenCalls and are zeroed at first.
  size_t extraBytes;
  // Called when a thread's figures have been made.
  void (*made)(OpenCalls &open);
  // Says whether to follow a call that begins now; it will then be
  // open.calls[open.count]. `site` is the index of its entry.
  bool (*enters)(OpenCalls &open, const tprt_site *entry, uint32_t site);
  // Called when the call at place `depth` has ended.
  void (*left)(OpenCalls &open, uint32_t depth, uint32_t site, uint64_t ticks,
               uint32_t flags);
};

// Attaches a follower for the life of the process. Status and result are those
// of tprt_duration_probe_attach().
tprt_status follow(const tprt_selector *selector, const Follower &follower,
                   tprt_probe **probe, tprt_result *result);

// Finds the functions that a probe is attached to at their entries, but at no
// exit. Calls tell(site, data) for each such entry. Under the lock.
void findWithoutExits(const tprt_probe *probe,
                      void (*tell)(const tprt_site *entry, void *data),
                      void *data);

// Whether the function with this entry has an exit sled. May be called in a
// hit.
bool hasExit(const tprt_site *entry);

} // namespace tprt

#endif
