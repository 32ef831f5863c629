// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The thread tprt-watch checks for breakpoints (uprobe_yield.h). The thread
// runs while a site is on that needs its first byte, and for a second longer.
// The thread does not run while the control's work thread does the checks, or
// with TPRT_OPTIONS=uprobes=0 or 1. Handlers do not run on this thread, and its
// calls are not counted.
#ifndef TPRT_PATCH_UPROBE_THREAD_H
#define TPRT_PATCH_UPROBE_THREAD_H

#include "threads/component.h"

#include <stdint.h>

namespace tprt {

// If false, keepWatch() starts no thread. This is so in a process that
// inherited its probes by TPRT_OPTIONS and that has no tool attached, because
// some programs must be alone in their process. In such a process, sites yield
// to uprobes at each attach, detach and fork.
extern bool startsWatch TPRT_HIDDEN;

// Starts the thread if this process lacks the thread and a site that needs it
// is on. Each function that may have turned sites on calls this at its end. A
// detach also calls this, because a child of fork() has its parent's probes but
// not the thread. Not called under the lock, because the C library allocates
// memory, and not in hits.
void keepWatch();

// From now on, the calling thread checks for breakpoints, and tprt-watch ends.
// The calling thread belongs to this library and sleeps most of the time.
// `wake` is called when a new site needs the checks: on any thread, without the
// lock.
void hostWatch(void (*wake)());
// Checks for breakpoints if that is due. Returns how many nanoseconds the
// thread may sleep; 0 means until `wake` is called.
uint64_t lookAsHost();
// Ends the calling thread's checks.
void endHosting();

// While this object exists, keepWatch() starts no thread. This is for the only
// thread of a child of fork() while it detaches the probes of tools. Without
// this object, each detach but the last would start tprt-watch for the
// remaining sites.
class WatchHeldBack {
public:
  WatchHeldBack() : before(startsWatch) { startsWatch = false; }
  ~WatchHeldBack() { startsWatch = before; }
  WatchHeldBack(const WatchHeldBack &) = delete;
  WatchHeldBack &operator=(const WatchHeldBack &) = delete;

private:
  bool before;
};

} // namespace tprt

#endif
