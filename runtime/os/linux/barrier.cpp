// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// membarrier; see core/os.h. Serialisation is what Intel SDM vol. 3, 9.1.3
// ("Handling Self- and Cross-Modifying Code") and AMD APM vol. 2, 7.6.1 ask of
// the processor that executes modified code.
#include "os/linux/barrier.h"
#include "core/os.h"
#include "os/linux/trial.h"

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

static bool settled; // under the lock

// EPERM: not registered yet in this process.
bool synchroniseCores() {
  return settled =
             mayBarrier() &&
             (membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE) == 0 ||
              membarrierWorks());
}

bool settleCores() { return settled ? mayBarrier() : synchroniseCores(); }

void unsettleCores() { settled = false; }

} // namespace tprt
