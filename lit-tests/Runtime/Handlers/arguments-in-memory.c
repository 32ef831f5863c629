// Arguments after those in registers are read from the stack.
//
// RUN: %tp_clang -O2 -ftp-entry=2,0 %s %tprt_flags -o %t
// RUN: %run %t | FileCheck %s
//
// CHECK: 1 2 3 4 5 6 7 8 9 10 11
#include <stdio.h>
#include <tprt/tprt.h>
__attribute__((noinline)) long many(long a, long b, long c, long d, long e, long f, long g, long h, long i, long j, long k) {
  return a + b + c + d + e + f + g + h + i + j + k;
}
static void onEntry(const tprt_event *event, const tprt_regs *regs, void *data) {
  for (unsigned i = 0; i < 11; ++i)
    printf("%ld ", (long)tprt_regs_argument(regs, i));
  puts("");
}
int main() {
  tprt_selector selector = {.function = "many"};
  tprt_action action = {.handler = onEntry};
  tprt_probe *probe;
  if (tprt_probe_attach(&selector, &action, &probe, NULL))
    return puts(tprt_error_string());
  return many(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11) != 66;
}
