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
// instruction and never the bytes after the breakpoint. So these are given
// back under it. The site is off from then on, and its instruction is whole
// when the uprobe goes. This has to be done between the two: each batch does
// it first, a fork does it as the child gets a copy of the breakpoint, and a
// thread of its own does it up to two hundred times a second (uprobe_thread.h).
#ifndef TPRT_PATCH_UPROBE_YIELD_H
#define TPRT_PATCH_UPROBE_YIELD_H

#include <stdint.h>

namespace tprt {

// Between two looks, at the least, where a site could need one.
constexpr uint64_t kYieldPauseNs = 5'000'000;

// Looks at all sites that are on, and yields where a breakpoint is. Does
// nothing under a debugger, which puts back what it found, our jump's byte.
// Under the lock.
void yieldToBreakpoints();
// The same for a batch, which may be one of thousands in a second: looks only
// if that is due. Returns in how many nanoseconds the next look is:
// 5 ms after the last one, or more, so that looking takes a hundredth of a
// processor's time at most; a second as long as no site could need it. What it
// takes to give bytes back does not count, as it comes once for a uprobe. Under
// the lock.
uint64_t yieldIfDue();
// A batch is about to turn on a site that needs its first byte. Under the lock.
void noteFirstByte();
// Whether a site may be on that needs its first byte: one was on at the last
// look, or was turned on since. Any thread.
bool mayNeedYield();

} // namespace tprt

#endif
