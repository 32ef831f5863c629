// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Groups: what tools have attached. On the work thread.
#ifndef TPRT_CONTROL_PROBE_GROUPS_H
#define TPRT_CONTROL_PROBE_GROUPS_H

#include "control/control_state.h"
#include "control/message.h"

namespace tprt {

// The requests of these names. Each writes its answer and returns the status.
tprt_status attachGroup(Client &client, Request &request, Answer &answer);
tprt_status detachGroups(Client &client, Request &request, Answer &answer);
tprt_status detachSitesOf(Client &client, Request &request, Answer &answer);
tprt_status listGroups(Client &client, Request &request, Answer &answer);
tprt_status readCounts(Client &client, Request &request, Answer &answer);
tprt_status readTimes(Client &client, Request &request, Answer &answer);

// Ends the groups of a connection that has ended, except those to be kept. 0:
// of all connections, also those to be kept.
void endGroupsOf(uint32_t client);
// In a child of fork(): all groups but those to be kept are the parent's
// tools'.
void disownGroups();
// Tries again to end groups that a thread is still inside. False: there is
// none.
bool tidyGroups();

} // namespace tprt

#endif
