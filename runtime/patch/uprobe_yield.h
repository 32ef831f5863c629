// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sites in code without sleds yield to breakpoints of other software.
//
// The problem: a uprobe (perf, bpftrace) may be set at one of our jumps. When
// the uprobe is removed, the kernel restores only the first byte of the file's
// instruction. The other four bytes are still our jump's, so the five bytes
// form an arbitrary instruction. The kernel does not notify libtprt of the
// removal.
//
// The solution: while the uprobe is set, threads execute the file's instruction
// and never the bytes after the breakpoint. So libtprt restores these bytes
// during this time. The site is then off, and its instruction is complete when
// the uprobe is removed. This must happen between the setting and the removal
// of the uprobe. So each batch begins with a check for breakpoints. A fork also
// checks, because the child gets a copy of the breakpoint. And a thread checks
// up to two hundred times a second (uprobe_thread.h).
#ifndef TPRT_PATCH_UPROBE_YIELD_H
#define TPRT_PATCH_UPROBE_YIELD_H

#include <stdint.h>

namespace tprt {

// The minimum time between two checks while a site needs its first byte.
constexpr uint64_t kYieldPauseNs = 5'000'000;

// Checks all sites that are on, and yields at each breakpoint. Does nothing
// under a debugger, because a debugger restores the byte that it found, the
// first byte of our jump. Called under the lock.
void yieldToBreakpoints();
// The same for a batch. There may be thousands of batches in a second, so this
// function checks only if a check is due. Returns the nanoseconds until the
// next check. The time between two checks is at least 5 ms, and long enough
// that checks use at most a hundredth of a processor. While no site needs its
// first byte, the time is a second. The time for restoring bytes does not
// count, because this happens once per uprobe. Called under the lock.
uint64_t yieldIfDue();
// Called when a batch is about to turn on a site that needs its first byte.
// Called under the lock.
void noteFirstByte();
// Whether a site that needs its first byte may be on: such a site was on at the
// last check, or was turned on since. Any thread may call this.
bool mayNeedYield();

} // namespace tprt

#endif
