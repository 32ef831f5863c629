/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The functions whose points are measured.
 */
#include "points/hit.h"
#include "tprt/trace.h"

TPRT_POINT(two_integers);
TPRT_POINT(a_line);

uint64_t hit_target(uint64_t value) {
  TPRT_TRACE(two_integers, "value=%llu kind=%d", (unsigned long long)value, 7);
  return value * 3 + 1;
}

__attribute__((noinline)) void print_target(unsigned id, const char *path) {
  TPRT_TRACE(a_line, "id=%u path=%s", id, path);
}

__attribute__((naked, aligned(64))) uint64_t counter_read(uint64_t value) {
#if defined(__x86_64__)
  __asm__("rdtsc\n\t"
          "leaq 1(%rdi,%rdi,2), %rax\n\t"
          "ret");
#else
  __asm__("mrs x1, cntvct_el0\n\t"
          "add x0, x0, x0, lsl #1\n\t"
          "add x0, x0, #1\n\t"
          "ret");
#endif
}
