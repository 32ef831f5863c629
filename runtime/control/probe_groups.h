// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Groups: what tools have attached. On the work thread.
#ifndef TPRT_CONTROL_PROBE_GROUPS_H
#define TPRT_CONTROL_PROBE_GROUPS_H

#include "control/client.h"
#include "control/message.h"

namespace tprt {

struct Scope;
struct ToolGroup;

// The others follow by `next`. nullptr: there is none.
ToolGroup *newestGroup();
// Returns nullptr if there is no group of this number, or if it is ending.
ToolGroup *findGroup(uint32_t number);
// The scope of a connection's group that follows calls: its first group of that
// kind is 0. nullptr: there is none.
const Scope *scopeOf(uint32_t client, uint32_t number);

// The requests of these names. Each writes its answer and returns the status.
tprt_status attachGroup(Client &client, Request &request, Answer &answer);
tprt_status detachGroups(Client &client, Request &request, Answer &answer);

// Ends the groups of a connection that has ended, except those to be kept. With
// 0: ends all groups of all connections, including those to be kept.
void endGroupsOf(uint32_t client);
// In a child of fork(): all groups except those to be kept belong to the
// parent's tools.
void disownGroups();
// Tries again to end the groups in whose handlers threads still were. Returns
// false if there is no such group.
bool tidyGroups();

} // namespace tprt

#endif
