// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RECORD, SNAPSHOT and FIGURES. On the work thread.
#ifndef TPRT_CONTROL_RECORDING_REQUESTS_H
#define TPRT_CONTROL_RECORDING_REQUESTS_H

#include "control/control_state.h"
#include "control/message.h"

namespace tprt {

tprt_status controlRecording(Client &client, Request &request, Answer &answer);
tprt_status takeSnapshot(Client &client, Request &request, Answer &answer);
tprt_status readFigures(Client &client, Request &request, Answer &answer);

// Stops the recording that this connection has started and did not want to
// keep. 0: the one that any connection has started.
void endRecordingOf(uint32_t client);
// In a child of fork(): its recording is the parent's tool's, which stops it
// nowhere else.
void disownRecording();

} // namespace tprt

#endif
