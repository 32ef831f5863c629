// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hits for which a thread's stack is too small. A runtime that catches stack
// overflows looks at the address that the fault is about and at the
// instruction: a fault in a trampoline, or in this library, is none that it
// knows. So the thread leaves the hit, which is counted or missed, and the
// program meets the end of its stack itself, at its own instruction.
#ifndef TPRT_TEXT_STACK_OVERFLOW_H
#define TPRT_TEXT_STACK_OVERFLOW_H

#include "sites/arch.h"

namespace tprt {

// Finds the unwind tables that leaveOverflow() reads. Without the lock.
void readUnwindTables();
// Gives the ucontext_t of a thread whose access to `fault` has raised a signal
// the registers after the hit in which the thread is. False: it is in no hit,
// or the fault is not about its stack. Async-signal-safe.
bool leaveOverflow(void *context, uint64_t fault);
// Ends a hit at this position, 0 if it had none yet, whose handlers were not
// called or have not come to their end: counts it, and calls it missed if there
// are handlers. In hit.cpp. Async-signal-safe.
void giveUpHit(const StubData *data, uint64_t position);
// The same for a hit that only counts, or records.
void giveUpSecondHit(const tprt_site &site, bool counts);

} // namespace tprt

#endif
