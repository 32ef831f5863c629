/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The function whose hits are measured. It is in a separate translation unit,
 * which is compiled once for each kind of instrumentation, with the flags of
 * that kind.
 */
#include "hit_target.h"

uint64_t hit_target(uint64_t value) { return value * 3 + 1; }
