// If this fails, a site's action list is freed while the site still leads to it. The list's memory
// is then used for another site.
//
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: f_2: the second
// CHECK-NEXT: f_1: the third
// CHECK-NEXT: f_2: the second
#include "../Inputs/harness.h"

__attribute__((noinline)) void f_1(void) { __asm__ volatile("# 1"); }
__attribute__((noinline)) void f_2(void) { __asm__ volatile("# 2"); }
static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) { puts(data); }

int main() {
  tprt_probe *first = attachHandler("f_1", onHit, "f_1: the first");
  attachHandler("f_2", onHit, "f_2: the second");
  f_2();
  tprt_probe_detach(first, -1);
  attachHandler("f_1", onHit, "f_1: the third");
  f_1();
  f_2();
}
