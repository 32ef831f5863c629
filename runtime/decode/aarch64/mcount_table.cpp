// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls of profilers on AArch64; see mcount_entries.h. A call has one of these
// forms:
//
//   bl   to the function, or to the table of imports
//   b    a function that ends by __cyg_profile_func_exit
//
// Calls through a register (-fno-plt) cannot be changed, so they are left
// alone.
#include "decode/mcount_entries.h"

#include <string.h>

namespace tprt {

static uint32_t wordAt(const DecodedCode &code, uint32_t offset) {
  uint32_t word;
  memcpy(&word, code.at(offset), sizeof word);
  return word;
}

bool mayCallProfiler(const uint8_t *, const Instruction &code) {
  return code.flow == Flow::Call && code.fieldBytes;
}

// The profiler whose function is at the offset, or is reached by an entry of a
// table of imports at the offset. Such an entry is adrp x16 and ldr x17, [x16,
// ...], after a landing pad if the code is guarded (ELF for the Arm 64-bit
// Architecture, "PLT").
Profiler ProfilerCalls::atTarget(uint32_t offset) const {
  for (const Target &target : targets)
    if (target.at == offset)
      return target.profiler;
  constexpr uint32_t kEntryBytes = 12, kLandingPad = 0xd503245f;
  if (!code.view.profilerWordCount ||
      code.room(offset, kEntryBytes) < kEntryBytes)
    return Profiler::None;
  if (wordAt(code, offset) == kLandingPad)
    offset += 4;
  uint32_t page = wordAt(code, offset), load = wordAt(code, offset + 4);
  if ((page & 0x9f00001f) != 0x90000010 || (load & 0xffc003ff) != 0xf9400211)
    return Profiler::None;
  auto high = static_cast<int32_t>(page << 8) >> 13;
  int64_t pages = int64_t{high} * 4 + (page >> 29 & 3);
  uint64_t here = (code.view.origin + offset) & ~uint64_t{0xfff};
  return atWord(here + static_cast<uint64_t>(pages * 4096) +
                (load >> 10 & 0xfff) * 8);
}

Profiler ProfilerCalls::of(uint32_t offset, const Instruction &found) const {
  uint64_t to = offset + found.length + static_cast<uint64_t>(found.distance);
  bool isCall = mayCallProfiler(code.at(offset), found);
  Profiler profiler = Profiler::None;
  if ((isCall || found.flow == Flow::Jump) && to <= UINT32_MAX)
    profiler = atTarget(static_cast<uint32_t>(to));
  return atPlace(offset, isCall, profiler);
}

} // namespace tprt
