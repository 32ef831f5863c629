// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Starts and stops the control, at the start of the process, in a child of
// fork(), and when the program asks for it. server.h describes the control.
#ifndef TPRT_CONTROL_SERVER_START_H
#define TPRT_CONTROL_SERVER_START_H

#include "tprt/tprt.h"

#include <stdint.h>

namespace tprt {

// Used by the fork handlers and the options control=N and tool=PATH of
// TPRT_OPTIONS. If N is 2 or more, it is the process number of the tool that is
// to look at this process. If that tool is the parent, the process waits before
// main() until the tool has sent GO, as long as tools make progress. If it is
// not the parent, the same holds if the tool listens at PATH; otherwise no tool
// looks at this process, and no control starts. PATH may be nullptr.
tprt_status startControl(uint32_t tool, const char *path);
// N, or 0. Any thread, async-signal-safe.
uint32_t toolOfStart();
// Whether this process waits for that tool at its start, or is about to.
bool isStartAwaited();
// Called when the tool has sent GO. Returns false if the program had to wait
// for GO at its start and did not wait so long. On the work thread.
bool releaseStart();
// Called in the child, after all atfork handlers. If the program or its user
// asked for the control, starts it again. If a tool asked for it, detaches what
// the tool has attached, and starts it again if the tool listens at PATH.
void controlInChild();

// --- on any thread, async-signal-safe ---------------------------------------

// Whether this process has a running control.
bool isControlOn();
// Whether a thread of the control was killed alone, as by a seccomp filter that
// the program has set for all threads. That thread may have had the runtime's
// lock, and answers nothing more.
bool isControlBroken();

} // namespace tprt

#endif
