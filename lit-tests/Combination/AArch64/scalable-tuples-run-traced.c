// If this fails, a handler destroys the scalable vectors in which a tuple is passed.
// RUN: %plain_clang --target=aarch64-linux-gnu -O2 -DHANDLER -I %tprt_include -c %s -o %t.handler.o
// RUN: %tp_clang --target=aarch64-linux-gnu -O2 -march=armv8-a+sve -ftp-exit %use_lld %s %t.handler.o -o %t
// RUN: env QEMU_CPU=max,sve-default-vector-length=64 %run_aarch64 %t | FileCheck %s
// CHECK: all right, 4 hits
#ifdef HANDLER
#include "../../Inputs/spoil.h"
#include "tprt/tprt.h"
#include <stdio.h>
#include <stdlib.h>

long Hits;
static void onHit(const tprt_event *Event, const tprt_regs *Regs, void *Data) {
  (void)Event, (void)Regs, (void)Data;
  ++Hits;
  spoil();
}
__attribute__((constructor)) static void attach(void) {
  tprt_selector Selector = {.kinds = TPRT_KIND_SET_ALL};
  tprt_action Action = {.handler = onHit};
  tprt_probe *Probe;
  if (tprt_probe_attach(&Selector, &Action, &Probe, 0) != TPRT_STATUS_OK)
    puts(tprt_error_string()), exit(1);
}
#else
#include <arm_sve.h>
#include <stdio.h>

extern long Hits;
#define TRACED __attribute__((tp_entry(1), tp_opaque))
TRACED svint32x2_t swap(svint32x2_t A) {
  return svcreate2(svget2(A, 1), svadd_x(svptrue_b32(), svget2(A, 0), 1));
}
TRACED svfloat64_t third(svfloat64x4_t A) { return svget4(A, 2); }
__attribute__((tp_never)) int main(void) {
  svbool_t All = svptrue_b32();
  svint32x2_t S = swap(svcreate2(svindex_s32(0, 1), svindex_s32(100, 1)));
  svfloat64_t D = svdup_f64(3);
  svfloat64_t T = third(svcreate4(svdup_f64(1), svdup_f64(2), D, svdup_f64(4)));
  // Every element is compared, including the bits above the low 128 bits.
  int Wrong = svptest_any(All, svcmpne(All, svget2(S, 0), svindex_s32(100, 1))) ||
              svptest_any(All, svcmpne(All, svget2(S, 1), svindex_s32(1, 1))) ||
              svptest_any(svptrue_b64(), svcmpne(svptrue_b64(), T, 3.0));
  printf("%s, %ld hits\n", Wrong ? "wrong" : "all right", Hits);
  return Wrong || Hits != 4;
}
#endif
