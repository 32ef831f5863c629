// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How components (timing/, points/, record/) register with the folders below
// them, which name none of them.
// The list of parts is a constant: so each part's beginThread() is called also
// for threads that are hit before any constructor has run. And because the core
// refers to the list, the linker takes the parts out of a static library even
// if nobody else refers to them.
#ifndef TPRT_THREADS_COMPONENT_H
#define TPRT_THREADS_COMPONENT_H

#include "base/visibility.h"
#include "threads/thread_block.h"

#include <stddef.h>

namespace tprt {

// What a component asks of the folders below. Members that it does not need
// are 0.
struct Component {
  // Called when the library is loaded. The core can be called already.
  void (*start)() = nullptr;
  // The bytes of Thread::componentState that hold the part's state for each
  // thread. They are zero at first. Only the part reads and writes them; hits
  // of other probes leave them alone.
  size_t stateAt = 0, stateBytes = 0;
  // beginThread: the calling thread has claimed its block. The state is as the
  // block's last owner left it. endThread: the thread ends and gives its block
  // away. endThread is not called for a thread that is killed, or that ends
  // inside a handler. Both are called in hits: async-signal-safe.
  void (*beginThread)(void *state) = nullptr;
  void (*endThread)(void *state) = nullptr;
};

// Ends with nullptr. Defined in options/components.cpp.
extern const Component *const components[] TPRT_HIDDEN;

// The part's state in a thread's block.
template <class State>
State &stateOf(Thread *thread, const Component &component) {
  return *reinterpret_cast<State *>(thread->componentState + component.stateAt);
}

} // namespace tprt

#endif
