/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The function whose call of a profiler is measured, compiled with and without
 * that call. It has a few instructions: here, a function of one instruction
 * takes longer than a function of two instructions, because its ret comes
 * too soon after the call.
 */
#include "hit_target.h"

uint64_t hit_target(uint64_t value) {
  value ^= value >> 7;
  value = value * 3 + 1;
  value ^= value << 5;
  return value + (value >> 3);
}
