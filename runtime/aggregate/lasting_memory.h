// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory that stays readable: the constants of the program and of the libraries
// that it was started with, and the calling thread's stack from the present
// stack pointer on. Programs of tools read it by plain loads. They read all
// other memory by a system call, which fails where a load would fault. No
// handler catches faults; docs/explanation/safety.md has the reasons.
#ifndef TPRT_AGGREGATE_LASTING_MEMORY_H
#define TPRT_AGGREGATE_LASTING_MEMORY_H

#include <stddef.h>
#include <stdint.h>

namespace tprt {

// Called before the first program runs, without the lock. Not in hits. If there
// is no memory, only the stack is known to stay.
void findLastingMemory();

// --- in hits, in a thread that has a block: async-signal-safe ----------------

// Whether these bytes, which lie in one page, may be read by loads. A page of
// constants may be read so only after a system call has read it: then it is
// not a page that the program has taken away.
bool mayLoad(uint64_t address, size_t bytes);
// A system call has read bytes in this page.
void noteReadable(uint64_t address);

} // namespace tprt

#endif
