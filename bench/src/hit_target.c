/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The function whose hits are measured. It is in a translation unit of its own,
 * which is compiled once for each way of instrumenting, with its flags.
 */
#include "hit_target.h"

uint64_t hit_target(uint64_t value) { return value * 3 + 1; }
