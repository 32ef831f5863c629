// 256-bit arguments keep all their lanes across a handler that clears the upper lanes, as
// AVX code does before it returns. (With -DWIDE, 512-bit arguments.)
//
// REQUIRES: avx2
// RUN: %clang -O2 -mavx2 -fplugin-arg-tp-entry=2,0 %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: lanes kept
#include "../Inputs/harness.h"
#include <stdlib.h>

#ifdef WIDE
#define LANES 16
#else
#define LANES 8
#endif
typedef int vector __attribute__((vector_size(LANES * 4)));

static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) {
  ++*(int *)data;
  __asm__ volatile("vpxor %%xmm0,%%xmm0,%%xmm0; vpxor %%xmm1,%%xmm1,%%xmm1; vzeroall" ::: "xmm0", "xmm1");
}

__attribute__((noinline)) int sum(vector a, vector b) {
  int total = 0;
  __asm__ volatile(""); // a pure function would be called only once, before the attach
  for (int i = 0; i < LANES; ++i)
    total += a[i] * (i + 1) + b[i];
  return total;
}

int main() {
  vector a, b;
  for (int i = 0; i < LANES; ++i)
    a[i] = i * i, b[i] = 1000 + i;
  int expected = sum(a, b);
  int hits = 0;
  tprt_probe *probe = attachHandler("sum", onHit, &hits);
  for (int i = 0; i < 1000; ++i)
    if (sum(a, b) != expected)
      return puts("lanes lost"), 1;
  tprt_probe_detach(probe, -1);
  puts(hits == 1000 ? "lanes kept" : "not every call was hit");
}
