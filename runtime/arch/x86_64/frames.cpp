// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a trampoline's frame on another thread's stack says; see core/arch.h.
// The trampolines store StubData's address, or the return address into the
// stub, before they raise the guard, and it stays there until the guard is
// lowered: the way back needs it. But at a ret, where the way back needs
// nothing, a handler that changes registers may write over it. So an address
// that the handler returns to counts as well.
#include "core/arch.h"
#include "frame.h"
#include "trampolines.h"

namespace tprt {

static_assert(kFrameAbove == FRAME_BYTES - FRAME_REGS);

// Where a call leaves its return address: of the handler without vector
// registers; with those of a trampoline that saves none; of the handler in the
// full kind, and of the slow way in all; of the handler with vectors saved.
static constexpr int64_t kReturns[] = {-8, -8 - 16, -8 - FRAME_REGS,
                                       -8 + FRAME_VECTORS - FRAME_REGS};
static_assert(kFrameBelow >= 8 - FRAME_VECTORS + FRAME_REGS);

FrameTraces tracesIn(const uint64_t *words, Peek peek) {
  auto at = [&](int64_t offset) {
    return words[(static_cast<int64_t>(kFrameBelow) + offset) / 8];
  };
  FrameTraces traces = {};
  uint64_t last = at(FRAME_DATA - FRAME_REGS);
  traces.data[0] = at(0);
  traces.data[1] = last;
  int32_t distance;
  if (peek(last + FULL_STUB_DATA, &distance, sizeof distance))
    traces.data[2] = last + static_cast<uint64_t>(int64_t{distance});
  for (int64_t offset : kReturns)
    traces.returns |= isTrampolineCode(at(offset));
  return traces;
}

} // namespace tprt
