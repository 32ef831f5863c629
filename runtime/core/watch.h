// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The thread tprt-watch, which looks for breakpoints (yield.h). It is there as
// long as a site is on that needs its first byte, and for a second longer; with
// TPRT_OPTIONS=uprobes=0 or 1 it never is. Handlers don't run on it, and what
// it calls is not counted.
#ifndef TPRT_CORE_WATCH_H
#define TPRT_CORE_WATCH_H

namespace tprt {

// Starts the thread if a site is on that needs it and this process has none.
// Each call that may have turned sites on ends with this, and each detach, as a
// child of fork() has its parent's probes and not the thread. Not under the
// lock, because the C library allocates, and not in hits.
void keepWatch();

} // namespace tprt

#endif
