/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Measures the cost of a recorded call for any recorder: the time of the
 * instrumented function less the time of the same function without
 * instrumentation. Also measures the cost of reading the counter once and
 * twice in that function. Prints "name value" lines; the argument is the
 * prefix of the first name.
 */
#include "clock.h"
#include "hit_target.h"

#include <stdio.h>

uint64_t hit_target_plain(uint64_t value);

__attribute__((naked, aligned(64))) static uint64_t read_once(uint64_t value) {
  __asm__("rdtsc\n\tleaq 1(%rdi,%rdi,2), %rax\n\tret");
}

__attribute__((naked, aligned(64))) static uint64_t read_twice(uint64_t value) {
  __asm__("rdtsc\n\trdtsc\n\tleaq 1(%rdi,%rdi,2), %rax\n\tret");
}

enum { RECORDED_ROUNDS = 11 };

int main(int count, char **arguments) {
  double recorded[RECORDED_ROUNDS], once[RECORDED_ROUNDS], twice[RECORDED_ROUNDS];
  hit_loop(hit_target); /* the first hits take the slow path */
  for (int i = 0; i < RECORDED_ROUNDS; ++i) {
    double plain = hit_loop(hit_target_plain);
    once[i] = hit_loop(read_once) - plain;
    twice[i] = hit_loop(read_twice) - plain;
    recorded[i] = hit_loop(hit_target) - plain;
  }
  printf("%s_ns %.3f\n", count > 1 ? arguments[1] : "recorded",
         tp_bench_median(recorded, RECORDED_ROUNDS));
  printf("clock_read_ns %.3f\n", tp_bench_median(once, RECORDED_ROUNDS));
  printf("clock_pair_ns %.3f\n", tp_bench_median(twice, RECORDED_ROUNDS));
  return 0;
}
