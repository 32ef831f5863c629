// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Between the architecture's traps and the system's signal for them. Under the
// lock.
#include "core/arch.h"
#include "core/os.h"

namespace tprt {

tprt_refusal takeTraps() {
  return takeTrapSignal({resumeTrap, resumeLostTrap, repeatTrap});
}

} // namespace tprt
