// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The requests that read what a group counted, timed or aggregated. On the work
// thread.
#ifndef TPRT_CONTROL_READ_GROUP_H
#define TPRT_CONTROL_READ_GROUP_H

#include "control/client.h"
#include "control/message.h"

namespace tprt {

// Each writes its answer and returns the status.
tprt_status readCounts(Client &client, Request &request, Answer &answer);
tprt_status readTimes(Client &client, Request &request, Answer &answer);
tprt_status readRows(Client &client, Request &request, Answer &answer);

} // namespace tprt

#endif
