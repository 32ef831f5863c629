/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The function whose hits are measured, in a translation unit of its own that
 * each way of instrumenting compiles with its flags.
 */
#include "hit_target.h"

uint64_t hit_target(uint64_t value) { return value * 3 + 1; }
