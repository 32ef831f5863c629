// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Carries out the requests of tools. On the work thread (server.h), except
// where stated.
#ifndef TPRT_CONTROL_DISPATCH_H
#define TPRT_CONTROL_DISPATCH_H

#include "base/visibility.h"
#include "control/client.h"

#include <stddef.h>

namespace tprt {

// Executes the request of `bytes` bytes, and writes the answer, which has at
// most TPRT_CONTROL_MOST_BYTES bytes. Returns the answer's length. The request
// may contain any bytes.
size_t answerRequest(Client &client, const char *request, size_t bytes,
                     char *answer);
// Called when the connection has ended: detaches what it attached and did not
// ask to keep.
void endClient(Client &client);
// Continues with what could not be ended at once. Returns false if nothing is
// left to do.
bool tidy();
// Ends everything that tools have attached, including what was to be kept.
// Returns false if a thread is still in a handler.
bool endAll();
// In a child of fork(): detaches what tools had attached in the parent. On the
// work thread, or on the forking thread if the child gets no control.
void startRequests();

// Part of the answer to HELLO; changes with each start of the control.
extern uint64_t controlInstance TPRT_HIDDEN;

} // namespace tprt

#endif
