// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN_LOAD, RUN_LINES and RUN_MEMORY: files of handlers that tools load, and
// what the handlers have written. On the work thread.
#ifndef TPRT_CONTROL_RUN_REQUESTS_H
#define TPRT_CONTROL_RUN_REQUESTS_H

#include "control/client.h"
#include "control/message.h"
#include "run/run_object.h"

namespace tprt {

// The requests of these names. Each writes its answer and returns the status.
tprt_status loadRun(Client &client, Request &request, Answer &answer);
tprt_status readRunLines(Client &client, Request &request, Answer &answer);
tprt_status readRunMemory(Client &client, Request &request, Answer &answer);

// A handler of a loaded file.
struct RunHandler {
  RunObject *object; // nullptr: none
  tprt_action action;
};
// Reads the handler of an ATTACH. Returns nullptr, or the fault.
const char *readRunHandler(const Client &client, Request &request,
                           uint32_t bytes, RunHandler &to);

// The files of a connection that has ended are unloaded as soon as no group has
// their handlers. 0: those of all connections.
void endRunsOf(uint32_t client);
// In a child of fork(): all files belong to the parent's tools.
void disownRuns();
// Unloads the files that nobody needs. Called when groups were freed.
void tidyRuns();

} // namespace tprt

#endif
