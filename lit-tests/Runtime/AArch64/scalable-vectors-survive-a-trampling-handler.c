// Scalable arguments and predicates keep all their lanes across a handler that overwrites
// them. The compiler's record says that they are live, and the runtime keeps them.
//
// RUN: %clang -O2 -march=armv8-a+sve -fplugin-arg-tp-entry=1 -fplugin-arg-tp-exit %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: lanes kept, 2000 hits
#include "../Inputs/harness.h"
#include <arm_sve.h>

__attribute__((tp_never)) static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) {
  ++*(int *)data;
  __asm__ volatile("dup z0.d, #-1\n\tdup z1.d, #-1\n\tpfalse p0.b" ::: "z0", "z1", "p0");
}
__attribute__((noinline)) svint64_t where(svbool_t chosen, svint64_t a, svint64_t b) {
  __asm__ volatile(""); // a pure function would be called once, before the attach
  return svsel(chosen, a, b);
}

int main() {
  svint64_t a = svindex_s64(1, 3), b = svindex_s64(-5, 7);
  svbool_t even = svcmpeq(svptrue_b64(), svand_x(svptrue_b64(), svindex_s64(0, 1), 1), 0);
  svint64_t expected = svsel(even, a, b);
  int hits = 0;
  attach("where", TPRT_KIND_SET_ALL, (tprt_action){.handler = onHit, .data = &hits});
  for (int i = 0; i < 1000; ++i)
    if (svptest_any(svptrue_b64(), svcmpne(svptrue_b64(), where(even, a, b), expected)))
      return puts("lanes lost"), 1;
  printf("lanes kept, %d hits\n", hits);
}
