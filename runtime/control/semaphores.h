// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Semaphores of USDT probes, which a tool has raised for as long as its group
// or its recording lasts. On the work thread; fork() may copy the process at
// any time, so the lists change under the lock.
#ifndef TPRT_CONTROL_SEMAPHORES_H
#define TPRT_CONTROL_SEMAPHORES_H

#include "base/array.h"
#include "control/client.h"
#include "control/message.h"

namespace tprt {

struct RaisedSemaphore {
  uint64_t address;
  uint64_t base, adopted; // the module, and the epoch in which it was loaded
};
using RaisedSemaphores = Array<RaisedSemaphore>;

// The request of this name.
tprt_status raiseSemaphores(Client &client, Request &request, Answer &answer);

// Adds 1 to the number at the address. Returns false if it is not in writable
// memory of a module that stays loaded as long as its sites are on.
bool raise(RaisedSemaphores &list, uint64_t address);
// Subtracts what raise() has added. The list is empty afterwards.
void lower(RaisedSemaphores &list);

} // namespace tprt

#endif
