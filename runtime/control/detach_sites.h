// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The request that detaches a group from some of its sites. On the work thread.
#ifndef TPRT_CONTROL_DETACH_SITES_H
#define TPRT_CONTROL_DETACH_SITES_H

#include "control/client.h"
#include "control/message.h"

namespace tprt {

// Writes the answer and returns the status.
tprt_status detachSitesOf(Client &client, Request &request, Answer &answer);

} // namespace tprt

#endif
