// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hits for which the stack is too small (sites/arch.h) are not left here: the
// program's handler is shown the fault in the trampoline, or in what it has
// called.
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
