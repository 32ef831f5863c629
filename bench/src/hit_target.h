/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The measured functions and the loop around them, which is never instrumented.
 */
#ifndef TP_BENCH_HIT_TARGET_H
#define TP_BENCH_HIT_TARGET_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

uint64_t hit_target(uint64_t value); /* instrumented */
uint64_t
hit_counted(uint64_t value); /* the same with incq on a thread-local word */

enum { HIT_CALLS = 200000, HIT_ROUNDS = 41 };
/* ns per call of `function`, over HIT_CALLS calls. Each call needs the result
 * of the call before. */
double hit_loop(uint64_t (*function)(uint64_t));

#ifdef __cplusplus
}
#endif

#endif
