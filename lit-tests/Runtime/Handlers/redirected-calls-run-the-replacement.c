// A redirected function's replacement runs instead of the function. The replacement also runs
// inside a handler of another function, and after a handler was attached and detached at the same
// function.
//
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 -fplugin-arg-tp-opaque %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: off: 3
// CHECK-NEXT: on: 30, in a handler 30
// CHECK-NEXT: with a handler: 30, 1 hit
// CHECK-NEXT: alone again: 30
// CHECK-NEXT: off: 3
#include "../Inputs/harness.h"

static int inside, hits;
__attribute__((noinline)) int sum(int a, int b) { return a + b; }
__attribute__((noinline)) void other(void) { __asm__ volatile(""); }
__attribute__((tp_never)) static int tenfold(int a, int b) { return 10 * (a + b); }
static void onOther(const tprt_event *event, const tprt_regs *regs, void *data) { inside = sum(1, 2); }

int main() {
  printf("off: %d\n", sum(1, 2));
  tprt_action replace = {.kind = TPRT_ACTION_REDIRECT, .replacement = (void *)tenfold};
  tprt_probe *redirect = attach("sum", TPRT_KIND_SET_ENTRY, replace);
  attachHandler("other", onOther, NULL);
  other();
  printf("on: %d, in a handler %d\n", sum(1, 2), inside);
  tprt_probe *handler = attachHandler("sum", countHit, &hits);
  int with = sum(1, 2);
  printf("with a handler: %d, %d hit\n", with, hits);
  tprt_probe_detach(handler, -1);
  printf("alone again: %d\n", sum(1, 2));
  tprt_probe_detach(redirect, -1);
  printf("off: %d\n", sum(1, 2));
}
