// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The thread tprt-watch, which looks for breakpoints (uprobe_yield.h). It is
// there as long as a site is on that needs its first byte, and for a second
// longer, unless the control's work thread looks in its place; with
// TPRT_OPTIONS=uprobes=0 or 1 it never is. Handlers don't run on it, and what
// it calls is not counted.
#ifndef TPRT_PATCH_UPROBE_THREAD_H
#define TPRT_PATCH_UPROBE_THREAD_H

#include "threads/component.h"

#include <stdint.h>

namespace tprt {

// False: keepWatch() starts no thread. So it is in a process that inherited its
// probes by TPRT_OPTIONS and that no tool looks at, because some programs need
// to be alone in their process. Sites yield to uprobes at each attach, detach
// and fork there.
extern bool startsWatch TPRT_HIDDEN;

// Starts the thread if a site is on that needs it and this process has none.
// Each call that may have turned sites on ends with this, and each detach, as a
// child of fork() has its parent's probes and not the thread. Not under the
// lock, because the C library allocates, and not in hits.
void keepWatch();

// From now on the calling thread, which is this library's and sleeps most of
// the time, looks for breakpoints in place of the watch, which ends. `wake` is
// called when a site comes that needs it: on any thread, without the lock.
void hostWatch(void (*wake)());
// Looks if that is due. Returns for how many nanoseconds the thread may sleep;
// 0: until it is woken.
uint64_t lookAsHost();
// The thread looks no more.
void endHosting();

// While this object exists, keepWatch() starts no thread. For the only thread
// of a child of fork(), which takes off what tools have attached: each detach
// but the last one would start the watch for the sites that are left.
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
