// If this fails, a linker that folds identical code merges the tests of two points. Then one
// point's state decides both tests.
//
// REQUIRES: gcc-12
// RUN: %plain_clang -O2 -ffunction-sections %s %tprt_flags -fuse-ld=lld -Wl,--icf=all -o %t.lld
// RUN: %t.lld | FileCheck %s
// RUN: gcc-12 -O2 -ffunction-sections %s %tprt_flags -fuse-ld=gold -Wl,--icf=all -o %t.gold
// RUN: %t.gold | FileCheck %s
// RUN: %plain_clang -O2 -ffunction-sections %s %tprt_flags -fuse-ld=mold -Wl,--icf=all -o %t.mold
// RUN: %t.mold | FileCheck %s
//
// CHECK: first on: 1 0
// CHECK-NEXT: second on: 0 1
#include "tprt/point.h"
#include "tprt/trace.h"

#include <stdio.h>

TPRT_POINT(first);
TPRT_POINT(second);

__attribute__((noinline)) int isFirstOn(void) { return TPRT_POINT_ON(first); }
__attribute__((noinline)) int isSecondOn(void) { return TPRT_POINT_ON(second); }

static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) {
  (void)event, (void)regs, (void)data;
}

static void show(const char *name, const void *point) {
  tprt_action action = {.handler = onHit};
  tprt_probe *probe;
  if (tprt_point_enable(point, &action, &probe, NULL) != TPRT_STATUS_OK)
    puts(tprt_error_string());
  printf("%s on: %d %d\n", name, isFirstOn(), isSecondOn());
  tprt_probe_detach(probe, -1);
}

int main(void) {
  TPRT_TRACE(first, "a");
  TPRT_TRACE(second, "b");
  show("first", &first);
  show("second", &second);
  return 0;
}
