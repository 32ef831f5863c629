// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory that stays readable: the constants of the program and of the libraries
// that it was started with, and the calling thread's stack from the present
// stack pointer on. Programs of tools read it by plain loads. They read other
// memory by a system call, which fails where a load would fault. If the
// processor has transactions, programs read all memory but the stack by loads
// in a transaction, and use the system call only if one was undone. No handler
// catches faults; docs/explanation/safety.md has the reasons.
#ifndef TPRT_PROGRAMS_LASTING_MEMORY_H
#define TPRT_PROGRAMS_LASTING_MEMORY_H

#include "base/visibility.h"

#include <stddef.h>
#include <stdint.h>

namespace tprt {

// Called before a program is attached, without the lock. Not in hits. The first
// call does the work. If there is no memory, only the stack is known to stay.
void findLastingMemory();
// Set by findLastingMemory(). Tests set this to false.
extern TPRT_HIDDEN bool usesTransactions;
inline bool mayUseTransactions() {
  return __atomic_load_n(&usesTransactions, __ATOMIC_RELAXED);
}

// --- in hits, in a thread that has a block: async-signal-safe ----------------

enum class Lasts : uint8_t {
  No,
  Yes, // The bytes may be read by loads.
  // A page of constants that was not read yet. It may be a page that the
  // program has taken away.
  IfReadable,
};
// Whether these bytes stay readable.
Lasts doesLast(uint64_t address, size_t bytes);
// Bytes in this page, of which doesLast() says IfReadable, were read.
void noteReadable(uint64_t address);

} // namespace tprt

#endif
