// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Connects the architecture's traps to the system's signal for them. Called
// under the lock.
#include "base/os_signal.h"
#include "sites/arch.h"

namespace tprt {

tprt_refusal takeTraps() {
  return takeTrapSignal({resumeTrap, resumeLostTrap, repeatTrap});
}

} // namespace tprt
