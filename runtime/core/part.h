// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the parts in optional/ register themselves with the core, which names
// none of them. The list is a constant, so a part's claim on threads holds for
// those that are hit before any constructor has run; and as the core refers to
// the list, the linker takes parts out of a static library that nobody else
// refers to.
#ifndef TPRT_CORE_PART_H
#define TPRT_CORE_PART_H

#include "core/plain/hidden.h"
#include "core/threads.h"

#include <stddef.h>

namespace tprt {

// What a part asks of the core. What it does not need is 0.
struct Part {
  // When the library is loaded: the core can be called already.
  void (*start)() = nullptr;
  // The part's state in each thread's block: these bytes of Thread::partState,
  // zero at first. Read and written by the part alone, at no hit of others.
  size_t stateAt = 0, stateBytes = 0;
  // The calling thread has claimed its block, and finds the state as the
  // block's last owner left it; or ends, and gives the block away. A thread
  // that is killed, or is in a handler to the end, ends without the second. In
  // hits: async-signal-safe.
  void (*beginThread)(void *state) = nullptr;
  void (*endThread)(void *state) = nullptr;
};

// Ends with nullptr. optional/parts.cpp has it.
extern const Part *const parts[] TPRT_HIDDEN;

// The part's state in a thread's block.
template <class State> State &stateOf(Thread *thread, const Part &part) {
  return *reinterpret_cast<State *>(thread->partState + part.stateAt);
}

} // namespace tprt

#endif
