// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hits for which a thread's stack is too small. A language runtime that catches
// stack overflows checks the faulting address and the instruction. Such a
// runtime does not recognize a fault in a trampoline or in this library. So the
// thread leaves the hit, which is counted or missed. The program's own
// instruction then reaches the end of the stack.
#ifndef TPRT_TEXT_STACK_OVERFLOW_H
#define TPRT_TEXT_STACK_OVERFLOW_H

#include "sites/arch.h"

namespace tprt {

// Finds the unwind tables that leaveOverflow() reads. Called without the lock.
void readUnwindTables();
// Called if a thread's access to `fault` has raised a signal. Sets the thread's
// ucontext_t to the registers after its present hit. Returns false if the
// thread is in no hit, or if the fault does not concern the thread's stack.
// Async-signal-safe.
bool leaveOverflow(void *context, uint64_t fault);
// Ends a hit whose handlers were not called or did not finish. `position` is 0
// if the hit had none yet. Counts the hit, and counts it as missed if there are
// handlers. Defined in hit.cpp. Async-signal-safe.
void giveUpHit(const StubData *data, uint64_t position);
// The same for a hit of a counting or a recording stub.
void giveUpSecondHit(const tprt_site &site, bool counts);

} // namespace tprt

#endif
