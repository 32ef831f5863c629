// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sites in code without sleds yield to breakpoints of others.
//
// The problem: a uprobe (perf, bpftrace) may be set where a jump of ours is.
// When it goes, the kernel puts the first byte of the file's instruction back
// and leaves the other four, which are our jump's. Together they make an
// instruction that nobody wrote, and the kernel tells nobody of it.
//
// The solution: as long as the uprobe is there, threads execute the file's
// instruction and never the bytes behind the breakpoint. So these are given
// back under it. The site is off from then on, and its instruction is whole
// when the uprobe goes. This has to be done between the two: each batch does
// it first, a fork does it as the child gets a copy of the breakpoint, and the
// control's thread does it forty times a second.
#ifndef TPRT_CORE_YIELD_H
#define TPRT_CORE_YIELD_H

#include "core/plain/hidden.h"

#include <stdint.h>

namespace tprt {

// Looks at all sites that are on, and yields where a breakpoint is. Does
// nothing under a debugger, which puts back what it found, our jump's byte.
// Under the lock.
void yieldToBreakpoints();
// The same for a batch or a fork, which may be one of thousands in a second:
// looks only if that is due.
void yieldIfDue();
// In how many nanoseconds after the last look the next one is due: 25 ms, or
// more, so that looking takes a two-hundredth of a processor's time at most; a
// second as long as no site could need it. What it takes to give bytes back
// does not count, as it comes once for a uprobe. Under the lock.
uint64_t yieldPause();
// A batch is about to turn on a site that needs its first byte. Under the lock.
void noteFirstByte();
// Whoever looks from time to time sets this. Called under the lock when
// yieldPause() has become shorter.
using HastenYield = void();
extern HastenYield *hastenYield TPRT_HIDDEN;

} // namespace tprt

#endif
