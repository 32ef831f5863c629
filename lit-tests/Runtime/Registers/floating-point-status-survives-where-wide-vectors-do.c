// If a site's record asks for whole vectors, the complete floating-point state is
// restored after the handler, including the exception flags and the rounding mode. (At
// other sites the flags and the mode are not restored, unless the handler itself restores
// them: docs/reference/runtime-limits.md.)
//
// REQUIRES: avx2
// RUN: %clang -O2 -mavx2 -fplugin-arg-tp-entry=2,0 %s %tprt_flags -lm -o %t
// RUN: %t | FileCheck %s
//
// CHECK: wide: 0 flags, to nearest
// CHECK: narrow, with a handler that keeps them: 0 flags, to nearest
#include "../Inputs/harness.h"
#include <fenv.h>

typedef int vector __attribute__((vector_size(32)));
__attribute__((noinline)) int wide(vector a) { __asm__ volatile(""); return a[7]; }
__attribute__((noinline)) int narrow(int a) { __asm__ volatile(""); return a; }

static void divide(const tprt_event *event, const tprt_regs *regs, void *data) {
  volatile double zero = 0, third = 1 / 3.0;
  third = third / zero;
  fesetround(FE_UPWARD);
}
static void divideAndKeep(const tprt_event *event, const tprt_regs *regs, void *data) {
  fenv_t kept;
  feholdexcept(&kept);
  divide(event, regs, data);
  fesetenv(&kept);
}

static void tell(const char *what) {
  printf("%s: %x flags, %s\n", what, fetestexcept(FE_ALL_EXCEPT), fegetround() == FE_TONEAREST ? "to nearest" : "not to nearest");
}

int main() {
  attachHandler("wide", divide, NULL);
  attachHandler("narrow", divideAndKeep, NULL);
  for (int i = 0; i < 2; ++i) // not only at a thread's first hit
    wide((vector){1, 2, 3, 4, 5, 6, 7, 8});
  tell("wide");
  narrow(1), narrow(2);
  tell("narrow, with a handler that keeps them");
}
