// A library built by plain clang or GCC with -fpatchable-function-entry can be
// probed on request: its first nop becomes a branch, also after `bti c`. Arguments
// and whole vector registers are preserved, and the nop is restored.
//
// RUN: rm -rf %t && split-file %s %t
// RUN: %plain_clang -O2 -march=armv8-a+sve -fPIC -shared -fpatchable-function-entry=1 %t/lib.c -o %t/clang.so
// RUN: %plain_clang -O2 -march=armv8-a+sve -fPIC -shared -fpatchable-function-entry=2 -mbranch-protection=bti %t/lib.c -o %t/bti.so
// RUN: aarch64-linux-gnu-gcc -O2 -march=armv8-a+sve -fPIC -shared -fpatchable-function-entry=5 %t/lib.c -o %t/gcc.so
// RUN: aarch64-linux-gnu-gcc -O2 -march=armv8-a+sve -fPIC -shared -fpatchable-function-entry=2 -mbranch-protection=bti %t/lib.c -o %t/gccbti.so
// RUN: %plain_clang -O2 -march=armv8-a+sve %t/main.c %tprt_flags -o %t/main
// RUN: %t/main %t/clang.so | FileCheck %s
// RUN: %t/main %t/bti.so | FileCheck %s
// RUN: %t/main %t/gcc.so | FileCheck %s
// RUN: %t/main %t/gccbti.so | FileCheck %s
//
// CHECK: unasked: no loaded module has a sled table
// CHECK-NEXT: asked: it was done, 2 sites
// CHECK-NEXT: 42 and 10, all lanes 1, 2 hits
// CHECK-NEXT: detached: same bytes 1, 2 hits
//--- lib.c
#include <arm_sve.h>
int twice(int x) { return 2 * x; }
svfloat64_t sum(svfloat64_t a, svfloat64_t b) { return svadd_x(svptrue_b64(), a, b); }
//--- main.c
#include "tprt/tprt.h"
#include <arm_sve.h>
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static int hits;
static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) {
  ++hits;
  __asm__ volatile("dup z0.d, #-1\n\tdup z1.d, #-1\n\tpfalse p0.b" ::: "z0", "z1", "p0");
}

int main(int argc, char **argv) {
  void *library = dlopen(argv[1], RTLD_NOW);
  int (*twice)(int) = (int (*)(int))dlsym(library, "twice");
  svfloat64_t (*sum)(svfloat64_t, svfloat64_t) = (svfloat64_t(*)(svfloat64_t, svfloat64_t))dlsym(library, "sum");
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
  svfloat64_t ten = sum(svdup_f64(4), svdup_f64(6));
  int lanes = !svptest_any(svptrue_b64(), svcmpne(svptrue_b64(), ten, 10.0));
  printf("%d and %g, all lanes %d, %d hits\n", twenty_one, svlasta(svpfalse(), ten), lanes, hits);
  tprt_probe_detach(probe, -1);
  twice(1);
  printf("detached: same bytes %d, %d hits\n", !memcmp(before, (void *)twice, 16), hits);
}
