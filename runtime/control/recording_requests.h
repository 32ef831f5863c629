// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RECORD, SNAPSHOT and FIGURES. On the work thread.
#ifndef TPRT_CONTROL_RECORDING_REQUESTS_H
#define TPRT_CONTROL_RECORDING_REQUESTS_H

#include "control/client.h"
#include "control/message.h"
#include "control/semaphores.h"

namespace tprt {

tprt_status controlRecording(Client &client, Request &request, Answer &answer);
tprt_status takeSnapshot(Client &client, Request &request, Answer &answer);
tprt_status readFigures(Client &client, Request &request, Answer &answer);

// The semaphores that are raised as long as there is a recording. nullptr:
// there is none.
RaisedSemaphores *semaphoresOfRecording();

// Stops the recording that this connection has started and did not ask to keep.
// With 0: stops a recording that any connection has started.
void endRecordingOf(uint32_t client);
// In a child of fork(): the child's copy of the recording belongs to the
// parent's tool, which stops only the parent's.
void disownRecording();

} // namespace tprt

#endif
