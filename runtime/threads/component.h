// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How components (timing/, points/, record/) register with lower folders, which
// do not refer to components by name. The list of components is a constant, so
// each component's beginThread() is also called for threads that have a hit
// before any constructor has run. The core refers to the list. So the linker
// includes the components of a static library even if nothing else refers to
// them.
#ifndef TPRT_THREADS_COMPONENT_H
#define TPRT_THREADS_COMPONENT_H

#include "base/visibility.h"
#include "threads/thread_block.h"

#include <stddef.h>

namespace tprt {

// What a component needs from lower folders. Unneeded members are 0.
struct Component {
  // Called when the library is loaded. The core is already usable at that time.
  void (*start)() = nullptr;
  // The component's state in each thread's Thread::componentState: its offset
  // and size. The bytes are zero at first. Only the component reads and writes
  // them.
  size_t stateAt = 0, stateBytes = 0;
  // beginThread is called after the calling thread has claimed its block. The
  // state is unchanged since the block's last owner. endThread is called when
  // the thread ends and releases its block. If a thread is killed, or ends
  // inside a handler, endThread is not called. Both functions are called in
  // hits, so they are async-signal-safe.
  void (*beginThread)(void *state) = nullptr;
  void (*endThread)(void *state) = nullptr;
};

// Ends with nullptr. Defined in options/components.cpp.
extern const Component *const components[] TPRT_HIDDEN;

// The component's state in a thread's block.
template <class State>
State &stateOf(Thread *thread, const Component &component) {
  return *reinterpret_cast<State *>(thread->componentState + component.stateAt);
}

} // namespace tprt

#endif
