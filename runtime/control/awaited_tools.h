// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads of the program that wait for tools: for as long as tools make
// progress (progress.h), because on a busy machine, or with many functions, a
// tool needs many seconds. The control thread notes the progress; a waiting
// thread makes no other system call than futex. Any thread calls these
// functions. Async-signal-safe.
#ifndef TPRT_CONTROL_AWAITED_TOOLS_H
#define TPRT_CONTROL_AWAITED_TOOLS_H

#include "control/progress.h"

#include <stddef.h>
#include <stdint.h>

namespace tprt {

// Waits until `isOver()`, which depends on the word. Gives up if the tools make
// no progress (Patience has the two limits, in nanoseconds), or if a thread of
// the control was killed.
void awaitTools(const uint32_t &word, bool (*isOver)(), uint64_t silence,
                uint64_t most);

// Counts as a waiting thread during its life.
class ToolWait {
public:
  ToolWait();
  ~ToolWait();
  ToolWait(const ToolWait &) = delete;
  ToolWait &operator=(const ToolWait &) = delete;
};
// Whether a thread waits for tools.
bool areToolsAwaited();

ToolsSeen seeTools();

// Called by the control thread: a tool has got its answer to this request.
void noteAnswered(const char *request, size_t bytes);
// Called by the control thread while a thread waits: the processor time of all
// tools together. A waiting thread may not make the system call for it.
void noteTimeOfTools(uint64_t nanoseconds);
// In a child of fork(): none of the parent's threads waits here.
void forgetToolWaits();

} // namespace tprt

#endif
