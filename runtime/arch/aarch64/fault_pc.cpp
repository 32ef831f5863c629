// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// On AArch64, a hit with too little stack (sites/arch.h) is not left: the
// program's handler sees the fault in the trampoline, or in a function that it
// has called.
#include "sites/arch.h"

namespace tprt {

void addressesToUnwind(uint64_t (&addresses)[3]) {
  for (uint64_t &address : addresses)
    address = 0;
}

bool leaveHit(void *, uint64_t, const UnwindTables &, Peek, LeftHit &) {
  return false;
}

bool leaveStub(void *, uint64_t, InnerStub, size_t, const tprt_site &, Peek,
               const StubData *&) {
  return false;
}

} // namespace tprt
