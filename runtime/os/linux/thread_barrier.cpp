// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Synchronizes the cores by membarrier(2); see os_text.h, which also lists the
// callers. A processor must execute a serializing instruction before it
// executes code that another processor has modified: Intel SDM vol. 3, 9.1.3
// ("Handling Self- and Cross-Modifying Code"), and AMD APM vol. 2, 7.6.1.
#include "os/linux/thread_barrier.h"
#include "base/os_text.h"
#include "os/linux/seccomp_trial.h"

#include <errno.h>
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace tprt {

static long membarrier(int command) {
  return syscall(SYS_membarrier, command, 0, 0);
}

bool membarrierWorks() {
  return membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_SYNC_CORE) == 0 &&
         membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE) == 0;
}

static bool mayBarrier() {
  int fault = trialOf(Facility::Barrier);
  if (fault)
    errno = fault;
  return !fault;
}

bool registerBarrier() {
  return mayBarrier() &&
         membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_SYNC_CORE) == 0;
}

// False if code was written since the last barrier. Used under the lock.
static bool synchronised;

// The first membarrier fails with EPERM if this process is not registered yet;
// membarrierWorks() registers it and tries once more.
bool synchroniseCores() {
  return synchronised =
             mayBarrier() &&
             (membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE) == 0 ||
              membarrierWorks());
}

bool synchroniseIfNeeded() {
  return synchronised ? mayBarrier() : synchroniseCores();
}

void noteCodeChange() { synchronised = false; }

} // namespace tprt
