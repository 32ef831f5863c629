// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See checksum.h.
#include "base/checksum.h"

#include <string.h>

namespace tprt {

static uint64_t mix(uint64_t sum, uint64_t word) {
  sum = (sum ^ word) * 0x9e3779b97f4a7c15u;
  return sum ^ sum >> 29;
}

// Computes two sums in parallel. A single sum would wait for its multiplication
// at each step, and tables have megabytes.
uint64_t checksum(const void *memory, size_t bytes, uint64_t sum) {
  const auto *at = static_cast<const uint8_t *>(memory);
  uint64_t other = 1, words[2];
  for (; bytes >= sizeof words; bytes -= sizeof words, at += sizeof words) {
    memcpy(words, at, sizeof words);
    sum = mix(sum, words[0]);
    other = mix(other, words[1]);
  }
  sum = mix(sum, other);
  for (; bytes >= 4; bytes -= 4, at += 4) {
    uint32_t word;
    memcpy(&word, at, sizeof word);
    sum = mix(sum, word);
  }
  return sum;
}

} // namespace tprt
