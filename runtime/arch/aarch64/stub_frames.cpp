// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads a trampoline's frame on another thread's stack; see sites/arch.h. The
// frame contains the return address into the stub from before the guard is
// raised until the guard is lowered, because the return path needs this
// address. Called by quiesce.cpp under the lock.
#include "code_patch.h"
#include "frame.h"
#include "sites/arch.h"

#include <ucontext.h>

namespace tprt {

// Executables have no trampolines, and the library itself has no sites.
bool isTrampolineCode(uint64_t) { return false; }

uint64_t programCounterIn(const void *context) {
  return static_cast<uint64_t>(
      static_cast<const ucontext_t *>(context)->uc_mcontext.pc);
}

void setProgramCounter(void *context, uint64_t address) {
  static_cast<ucontext_t *>(context)->uc_mcontext.pc = address;
}

// While the frame exists, it contains x29 and x30 of the program. The thread's
// own x30 may be the return address into the stub, and its x29 may be the
// trampoline's.
void showSite(void *context, int64_t below, uint64_t (&was)[2]) {
  auto &registers = static_cast<ucontext_t *>(context)->uc_mcontext;
  if (!below)
    return;
  const auto *frame = reinterpret_cast<const uint64_t *>(registers.sp);
  was[0] = registers.regs[29];
  was[1] = registers.regs[30];
  registers.regs[29] = frame[FRAME_FP / 8];
  registers.regs[30] = frame[FRAME_LR / 8];
  registers.sp += static_cast<uint64_t>(below);
}

void leaveSite(void *context, int64_t below, const uint64_t (&was)[2]) {
  auto &registers = static_cast<ucontext_t *>(context)->uc_mcontext;
  if (!below)
    return;
  registers.regs[29] = was[0];
  registers.regs[30] = was[1];
  registers.sp -= static_cast<uint64_t>(below);
}

uint64_t calledFrom(const void *context) {
  return static_cast<const ucontext_t *>(context)->uc_mcontext.regs[30];
}

static_assert(kFrameAbove == FRAME_RETURN + 8 && kFrameBelow == 0);

// The stub's `bl header` is immediately before that return address. To find the
// StubData, the header's code multiplies the return address by 1.5 and adds a
// number (stub.cpp). In code without sleds, the address of the StubData itself
// follows the stub.
FrameTraces tracesIn(const uint64_t *words, Peek peek) {
  FrameTraces traces = {};
  uint64_t back = words[FRAME_RETURN / 8], bias;
  uint32_t call;
  if (back % 8 || !peek(back - 4, &call, sizeof call) || call >> 26 != 0x25)
    return traces;
  int64_t distance = static_cast<int32_t>(call << 6) >> 4;
  uint64_t header =
      (back - 4 + static_cast<uint64_t>(distance)) & ~uint64_t{15};
  if (!peek(header + kHeaderBias, &bias, sizeof bias))
    return traces;
  if (bias)
    traces.data[0] = back + back / 2 + bias;
  else // the header of stubs in code
    peek(back + kBackToData, traces.data, sizeof *traces.data);
  return traces;
}

} // namespace tprt
