// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Durations inside the runtime: as tprt/duration.h, for one that also wants to
// know of entries and keeps figures of its own behind each thread's open calls.
// All functions of a follower run inside hits: async-signal-safe, no lock.
#ifndef TPRT_OPTIONAL_FOLLOW_H
#define TPRT_OPTIONAL_FOLLOW_H

#include "optional/duration.h"
#include "tprt/duration.h"

namespace tprt {

struct Follower {
  // Of its own, zeroed, directly behind each thread's OpenCalls.
  size_t extraBytes;
  // Those of a thread were made.
  void (*made)(OpenCalls &open);
  // Whether to follow a call that begins now; it will be open->calls[count].
  // `site` is the index of its entry.
  bool (*enters)(OpenCalls &open, const tprt_site *entry, uint32_t site);
  // The call at place `depth` has ended.
  void (*left)(OpenCalls &open, uint32_t depth, uint32_t site, uint64_t ticks,
               uint32_t flags);
};

// For as long as the process lives. Status and result as of
// tprt_duration_probe_attach().
tprt_status follow(const tprt_selector *selector, const Follower &follower,
                   tprt_probe **probe, tprt_result *result);

// Of the functions with an entry among these sites of a probe, those that have
// no exit among them: calls tell(site, data) for each entry. Under the lock.
void findWithoutExits(const tprt_probe *probe,
                      void (*tell)(const tprt_site *entry, void *data),
                      void *data);

// Whether the function that this is an entry of has an exit sled. In a hit.
bool hasExit(const tprt_site *entry);

} // namespace tprt

#endif
