// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads a trampoline's frame on another thread's stack; see sites/arch.h.
// Called by quiesce.cpp under the lock.
//
// Before the trampolines raise the guard, they store StubData's address, or the
// return address into the stub. Both remain in the frame until the guard is
// lowered, because the return path needs them. At a ret, the return path needs
// neither, and a handler that changes registers may overwrite the address. So
// the handler's return address, which is inside a trampoline, is also a sign of
// a hit.
#include "frame.h"
#include "sites/arch.h"
#include "trampolines.h"

#include <ucontext.h>

namespace tprt {

uint64_t programCounterIn(const void *context) {
  return static_cast<uint64_t>(
      static_cast<const ucontext_t *>(context)->uc_mcontext.gregs[REG_RIP]);
}

void setProgramCounter(void *context, uint64_t address) {
  static_cast<ucontext_t *>(context)->uc_mcontext.gregs[REG_RIP] =
      static_cast<greg_t>(address);
}

void showSite(void *context, int64_t below, uint64_t (&)[2]) {
  static_cast<ucontext_t *>(context)->uc_mcontext.gregs[REG_RSP] += below;
}

void leaveSite(void *context, int64_t below, const uint64_t (&)[2]) {
  static_cast<ucontext_t *>(context)->uc_mcontext.gregs[REG_RSP] -= below;
}

uint64_t calledFrom(const void *) { return 0; }

static_assert(kFrameAbove == FRAME_BYTES - FRAME_REGS);

// Offsets from the guard's position at which a call stores its return address.
// The calls are: a handler without vector registers; a handler with vector
// registers, from a trampoline that saves none; the handler in the full kind,
// and the slow path in all kinds; the first call on a stack that differs by 8;
// a handler with vectors saved.
static constexpr int64_t kReturns[] = {-8, -8 - 16, -8 - FRAME_REGS,
                                       -8 - FRAME_REGS - 8,
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
