// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The request that lists the groups of all tools. On the work thread.
#ifndef TPRT_CONTROL_LIST_GROUPS_H
#define TPRT_CONTROL_LIST_GROUPS_H

#include "control/client.h"
#include "control/message.h"

namespace tprt {

// Carries out the request: writes the answer and returns the status.
tprt_status listGroups(Client &client, Request &request, Answer &answer);

} // namespace tprt

#endif
