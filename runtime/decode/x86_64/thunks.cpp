// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Jumps through thunks; see decoded.h.
//
// The problem: compilers can keep the processor from predicting an indirect
// jump (GCC's -mindirect-branch=thunk, clang's -mretpoline). `jmp *%rax`
// becomes a jump to the thunk below, or the thunk itself, and looks like an
// exit of its function. But a switch's jump is not an exit.
//
//         call 1f
//      0: pause
//         lfence
//         jmp 0b
//      1: movq %rax, (%rsp)
//         ret
//
// The solution: such an exit is treated as the jump that it replaces.
#include "decode/decoded.h"

#include <string.h>

namespace tprt {

static constexpr uint32_t kCallBytes = 5, kLoopBytes = 7, kStoreBytes = 4;
// Clang aligns the store.
static constexpr uint32_t kMostPadding = 15;

namespace {
struct Thunk {
  uint32_t ret;   // The offset of the thunk's return; 0 means that there is no
                  // thunk.
  uint8_t target; // The register that contains the target of the jump.
};
} // namespace

static Thunk thunkAt(const DecodedCode &all, uint32_t offset) {
  constexpr uint8_t kCall = 0xe8, kRexW = 0x48, kRexR = 4, kMove = 0x89,
                    kToStack[] = {0x04, 0x24}, kRet = 0xc3,
                    kLoop[kLoopBytes] = {0xf3, 0x90, 0x0f, 0xae,
                                         0xe8, 0xeb, 0xf9};
  constexpr uint32_t kBytes = kCallBytes + kLoopBytes;
  uint32_t padding;
  if (all.room(offset, kBytes) < kBytes || *all.at(offset) != kCall ||
      memcmp(all.at(offset + kCallBytes), kLoop, kLoopBytes) != 0)
    return {};
  memcpy(&padding, all.at(offset + 1), sizeof padding);
  padding -= kLoopBytes;
  const uint32_t store = offset + kBytes + padding;
  if (padding > kMostPadding ||
      all.room(store, kStoreBytes + 1) < kStoreBytes + 1)
    return {};
  const uint8_t *code = all.at(store);
  if ((code[0] & ~kRexR) != kRexW || code[1] != kMove ||
      (code[2] & 0xc7) != kToStack[0] || code[3] != kToStack[1] ||
      code[kStoreBytes] != kRet)
    return {};
  unsigned target = (code[0] & kRexR ? 8 : 0) + (code[2] >> 3 & 7);
  return {store + kStoreBytes, static_cast<uint8_t>(target)};
}

uint32_t DecodedCode::seeThroughThunk(const Exit &exit,
                                      Instruction &code) const {
  constexpr uint32_t kInline = kCallBytes + kLoopBytes + kStoreBytes;
  uint32_t from = exit.at;
  Thunk thunk = {};
  if (code.flow == Flow::Jump) {
    uint64_t to = exit.at + code.length + static_cast<uint64_t>(code.distance);
    if (to <= UINT32_MAX)
      thunk = thunkAt(*this, static_cast<uint32_t>(to));
  } else if (code.flow == Flow::Return &&
             exit.at > functions[exit.function].start + kInline) {
    thunk = thunkAt(*this, exit.at - kInline);
    if (thunk.ret == exit.at)
      from -= kInline;
    else
      thunk = {};
  }
  if (thunk.ret) {
    code.flow = Flow::JumpRegister;
    code.target = thunk.target;
  }
  return from;
}

} // namespace tprt
