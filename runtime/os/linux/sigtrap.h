// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// SIGTRAP, where sleds are flipped by traps.
#ifndef TPRT_OS_SIGTRAP_H
#define TPRT_OS_SIGTRAP_H

#include "tprt/tprt.h"

namespace tprt {

// Makes SIGTRAP ours, the first time, and sees whether it still is. NONE, or
// why no trap may be set now. Under the lock.
tprt_refusal takeSigtrap();

} // namespace tprt

#endif
