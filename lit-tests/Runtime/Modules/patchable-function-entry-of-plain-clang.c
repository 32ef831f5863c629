// A library built by plain clang with -fpatchable-function-entry can be probed on request,
// if one nop of 5 bytes or more is within an aligned word. Arguments and all wide vectors
// are preserved, and the nop is restored.
//
// REQUIRES: avx
// RUN: rm -rf %t && split-file %s %t
// RUN: %plain_clang -O2 -mavx -fPIC -shared -fpatchable-function-entry=5 %t/lib.c -o %t/five.so
// RUN: %plain_clang -O2 -mavx -fPIC -shared -fpatchable-function-entry=11 %t/lib.c -o %t/eleven.so
// RUN: %plain_clang -O2 -mavx %t/main.c %tprt_flags -o %t/main
// RUN: %t/main %t/five.so 5 | FileCheck %s
// RUN: %t/main %t/eleven.so 11 | FileCheck %s
//
// CHECK: unasked: no loaded module has a sled table
// CHECK-NEXT: asked: it was done, 2 sites
// CHECK-NEXT: 42 and 10, 2 hits
// CHECK-NEXT: detached: same bytes 1, 2 hits
//--- lib.c
#include <immintrin.h>
int twice(int x) { return 2 * x; }
__m256d sum(__m256d a, __m256d b) { return _mm256_add_pd(a, b); }
//--- main.c
#include "tprt/tprt.h"
#include <dlfcn.h>
#include <immintrin.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int hits;
static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) { ++hits, _mm256_zeroall(); }

int main(int argc, char **argv) {
  void *library = dlopen(argv[1], RTLD_NOW);
  int (*twice)(int) = (int (*)(int))dlsym(library, "twice");
  __m256d (*sum)(__m256d, __m256d) = (__m256d(*)(__m256d, __m256d))dlsym(library, "sum");
  char before[16];
  memcpy(before, (void *)twice, 16);
  tprt_selector selector = {0};
  tprt_action action = {.handler = onHit};
  tprt_probe *probe;
  tprt_result result;
  printf("unasked: %s\n", tprt_status_string(tprt_probe_attach(&selector, &action, &probe, NULL)));
  selector.flags = TPRT_SELECT_PATCHABLE;
  printf("asked: %s", tprt_status_string(tprt_probe_attach(&selector, &action, &probe, &result)));
  printf(", %zu sites\n", result.enabled);
  int twenty_one = twice(21);
  __m256d ten = sum(_mm256_set1_pd(4), _mm256_set1_pd(6));
  printf("%d and %g, %d hits\n", twenty_one, ten[3], hits);
  tprt_probe_detach(probe, -1);
  twice(1);
  printf("detached: same bytes %d, %d hits\n", !memcmp(before, (void *)twice, 16), hits);
}
