// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code without sleds is not probed on AArch64: there is no reader of its code
// (runtime/code/), so no site has this shape.
#include "core/arch.h"

namespace tprt {

bool writeDisplaced(uint8_t *, uint64_t, const tprt_site &) { return false; }
void chooseOtherMeans(CodeSite &, uint64_t) {}
int64_t stackBelow(InnerStub, size_t, const tprt_site &) { return 0; }

tprt_refusal planCallOff(const tprt_site &, uint64_t, const Ways &, Toggle *) {
  return TPRT_REFUSAL_INSTRUCTION;
}

} // namespace tprt
