// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See hit_keys.h. Without calls of memcpy and memset, as in run_program.cpp.
#include "programs/hit_keys.h"
#include "programs/read_memory.h"
#include "programs/walk_stack.h"

namespace tprt {

// Completes the key of a text, whose bytes are already there.
static uint64_t *endText(uint64_t *keysEnd, uint32_t length, bool cut) {
  uint64_t *end = keysEnd + 1 + length / 8;
  // Zeros behind the text.
  if (const unsigned rest = length % 8) {
    *end &= (uint64_t{1} << 8 * rest) - 1;
    ++end;
  }
  *keysEnd = (cut ? TPRT_PROGRAM_KEY_CUT_TEXT : TPRT_PROGRAM_KEY_TEXT) |
             uint64_t{length} << kKeyLengthShift;
  return end;
}

uint64_t *addBytesKey(uint64_t *keysEnd, uint64_t address, uint32_t most,
                      uint64_t count) {
  const auto length = static_cast<uint32_t>(count < most ? count : most);
  if (count > INT64_MAX ||
      !readMemory(address, length, reinterpret_cast<char *>(keysEnd + 1)))
    return addWord(keysEnd, TPRT_PROGRAM_KEY_UNKNOWN);
  return endText(keysEnd, length, count > most);
}

uint64_t *addStringKey(uint64_t *keysEnd, uint64_t address, uint32_t most,
                       uint64_t bound) {
  bool cut;
  auto *bytes = reinterpret_cast<char *>(keysEnd + 1);
  const int read = readString(address, most, bound, bytes, cut);
  if (read < 0)
    return addWord(keysEnd, TPRT_PROGRAM_KEY_UNKNOWN);
  return endText(keysEnd, static_cast<uint32_t>(read), cut);
}

uint64_t *addStackKey(uint64_t *keysEnd, const HitValues &hit, uint32_t most) {
  WalkedStack stack = {1, TPRT_PROGRAM_STACK_LOST};
  if (hit.place.regs)
    stack = walkStack(hit.place, most, keysEnd + 1);
  else
    keysEnd[1] = hit.caller;
  *keysEnd = TPRT_PROGRAM_KEY_STACK_FRAMES |
             uint64_t{stack.count} << kKeyLengthShift |
             uint64_t{stack.end} << kStackEndShift;
  return keysEnd + 1 + stack.count;
}

} // namespace tprt
