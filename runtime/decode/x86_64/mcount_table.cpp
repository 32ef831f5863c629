// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls of profilers on x86-64; see mcount_entries.h. A call has one of these
// forms:
//
//   e8 rel32      call to the function, or to the table of imports
//   ff 15 rel32   call through a word of the GOT (-fno-plt)
//   67 e8 rel32   what linkers make of the second (psABI, B.2, "Optimize
//                 GOTPCRELX")
//   e9, eb, ff 25 jumps: a function that ends by __cyg_profile_func_exit
//   0f 1f 44 00 00  the nop that -mnop-mcount leaves, if it is listed
#include "decode/mcount_entries.h"

namespace tprt {

static constexpr uint8_t kCall = 0xe8, kAddressSize = 0x67, kGroup5 = 0xff,
                         kCallWord = 0x15, kJumpWord = 0x25;
static constexpr uint32_t kNopBytes = 5;

static bool isThroughWord(const uint8_t *bytes, const Instruction &code,
                          uint8_t modrm) {
  return code.length == 6 && bytes[0] == kGroup5 && bytes[1] == modrm;
}

static bool isDirectCall(const uint8_t *bytes, const Instruction &code) {
  return (code.length == 5 && bytes[0] == kCall) ||
         (code.length == 6 && bytes[0] == kAddressSize && bytes[1] == kCall);
}

bool mayCallProfiler(const uint8_t *bytes, const Instruction &code) {
  return isDirectCall(bytes, code) || isThroughWord(bytes, code, kCallWord) ||
         (code.flow == Flow::Nop && code.length == kNopBytes);
}

// The profiler whose function is at the offset, or is reached by an entry of a
// table of imports at the offset.
Profiler ProfilerCalls::atTarget(uint32_t offset) const {
  for (const Target &target : targets)
    if (target.at == offset)
      return target.profiler;
  if (!code.view.profilerWordCount)
    return Profiler::None;
  constexpr size_t kEntryBytes = 16;
  Instruction import;
  uint32_t end = offset + static_cast<uint32_t>(code.room(offset, kEntryBytes));
  if (!code.decodeAt(offset, end, import))
    return Profiler::None;
  if (import.flow == Flow::LandingPad) {
    offset += import.length;
    if (!code.decodeAt(offset, end, import))
      return Profiler::None;
  }
  return import.flow == Flow::JumpMemory
             ? atWord(code.view.origin + offset + import.length +
                      static_cast<uint64_t>(import.distance))
             : Profiler::None;
}

// A listed call is a call of a profiler regardless of its target, even in a
// stripped program that contains its profiler.
Profiler ProfilerCalls::of(uint32_t offset, const Instruction &found) const {
  const uint8_t *bytes = code.at(offset);
  uint64_t to = offset + found.length + static_cast<uint64_t>(found.distance);
  Profiler profiler = Profiler::None;
  bool isCall = mayCallProfiler(bytes, found);
  if (isThroughWord(bytes, found, kCallWord) ||
      isThroughWord(bytes, found, kJumpWord))
    profiler = atWord(code.view.origin + to);
  else if ((isDirectCall(bytes, found) || found.flow == Flow::Jump) &&
           to <= UINT32_MAX)
    profiler = atTarget(static_cast<uint32_t>(to));
  return atPlace(offset, isCall, profiler);
}

} // namespace tprt
