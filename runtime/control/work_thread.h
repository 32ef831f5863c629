// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The thread that carries out the requests of tools. server.h describes the
// control.
#ifndef TPRT_CONTROL_WORK_THREAD_H
#define TPRT_CONTROL_WORK_THREAD_H

#include <stdint.h>

namespace tprt {

// The jobs that the control thread gives to the work thread.
enum class Job : uint32_t {
  None,
  Answer,
  EndClient,
  Tidy,
  Follow, // the process's user
  Look,   // for breakpoints (patch/uprobe_thread.h); from any thread
  EndAll,
  Leave
};

// What the work thread does, from its start to its end.
void workThread();
// On the control thread, or on a thread that starts the control: gives the work
// thread this job, and waits for its end.
void request(Job what);
// Called at a start and in a child of fork(): no job is left from before.
void forgetJob();

// --- on any thread, async-signal-safe ---------------------------------------

// Whether the work thread is busy with a request.
bool isAnswering();
// Wakes the work thread. If it is busy, it looks afterwards.
void wakeToLook();

} // namespace tprt

#endif
