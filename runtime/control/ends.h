// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ends of the process: a tool that asks for it reads the last counts there,
// before the process exits or runs another program.
#ifndef TPRT_CONTROL_ENDS_H
#define TPRT_CONTROL_ENDS_H

#include "control/client.h"

#include <stdint.h>

namespace tprt {

// --- called by the hooks of exit and exec -----------------------------------

// Called when the process ends by exit, _exit or quick_exit. Waits until all
// tools that asked for this have sent GO, as long as they make progress. Then
// removes the socket's file. Async-signal-safe.
void controlLeave();
// The same if the process is about to run another program (exec). If that
// fails, the process continues, and waits for tools again the next time.
// Async-signal-safe.
void controlPause();

// --- called for requests, on the work thread --------------------------------

// The process is to wait for one more tool at its end.
void beginAwaiting(Client &client);
// The tool has sent GO at an end.
void noteGone(Client &client);
// The tool has gone away.
void endAwaiting(Client &client);
// The flags that readings have while the process waits at an end: 0, or values
// of enum tprt_control_read_flags.
uint32_t endFlags();

// --- called by the control's own threads ------------------------------------

// On the work thread, after it was woken: answers what a thread that ends the
// process has asked. `socketPath` is the path of the control's socket.
void answerEnds(const char *socketPath);
// On the control thread: the program's threads have all ended. Without the
// control's threads the process would have ended, too. Calls attend(listener),
// which returns false if it cannot, until the tools have read the last counts
// or make no progress.
void awaitToolsAtLastEnd(bool (*attend)(int), int listener);
// In a child of fork(): forgets the parent's ends.
void forgetEnds();
// At a start of the control: forgets earlier questions to the work thread.
void forgetQuestions();

} // namespace tprt

#endif
