// A probe at nops before the function is refused with the reason, because no call would
// execute a branch there. The function keeps working.
//
// RUN: %plain_clang -O2 -fPIE -c -DOTHERS -fpatchable-function-entry=4,2 %s -o %t.clang.o
// RUN: aarch64-linux-gnu-gcc -O2 -fPIE -c -DOTHERS -fpatchable-function-entry=4,2 %s -o %t.gcc.o
// RUN: aarch64-linux-gnu-gcc -O2 -fPIE -c -DOTHERS -fpatchable-function-entry=1,1 %s -o %t.all.o
// RUN: %plain_clang -O2 %s %tprt_flags %t.clang.o -o %t.clang && %t.clang | FileCheck %s
// RUN: %plain_clang -O2 %s %tprt_flags %t.gcc.o -o %t.gcc && %t.gcc | FileCheck %s
// RUN: %plain_clang -O2 %s %tprt_flags %t.all.o -o %t.all && %t.all | FileCheck %s
//
// CHECK: refused 1 of 1: no nops are there, or they may not be at the start of a function
// CHECK-NEXT: 42
#ifdef OTHERS
int twice(int x) { return 2 * x; }
#else
#include "tprt/tprt.h"
#include <stdio.h>
int twice(int x);
static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) {}
int main() {
  tprt_selector selector = {.flags = TPRT_SELECT_PATCHABLE};
  tprt_action action = {.handler = onHit};
  tprt_probe *probe;
  tprt_result result;
  tprt_probe_attach(&selector, &action, &probe, &result);
  printf("refused %zu of %zu: %s\n", result.refused, result.matched, tprt_refusal_string(result.first_refusal));
  printf("%d\n", twice(21));
}
#endif
