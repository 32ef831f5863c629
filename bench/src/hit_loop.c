/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The loop that calls the measured function; see hit_target.h. The loop itself is
 * never instrumented.
 */
#include "hit_target.h"

#include "clock.h"

/* The reference for a counting probe: it only reads and writes the word. */
__thread uint64_t hit_counter __attribute__((tls_model("initial-exec")));

__attribute__((naked, aligned(16))) uint64_t hit_counted(uint64_t value) {
  __asm__("movq hit_counter@gottpoff(%rip), %r11\n\t"
          "incq %fs:(%r11)\n\t"
          "leaq 1(%rdi,%rdi,2), %rax\n\t"
          "ret");
}

__attribute__((noinline)) double hit_loop(uint64_t (*function)(uint64_t)) {
  double start = tp_bench_cpu();
  uint64_t value = 1;
  for (int i = 0; i < HIT_CALLS; ++i)
    value = function(value);
  double seconds = tp_bench_cpu() - start;
  __asm__ volatile("" ::"r"(value));
  return seconds * 1e9 / HIT_CALLS;
}
