// Handlers of one site are called in the order in which they were attached, also after a
// handler between them was detached.
//
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: abc
// CHECK-NEXT: ac
// CHECK-NEXT: acb
#include "../Inputs/harness.h"

static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) { putchar(*(const char *)data); }
__attribute__((noinline)) void f(void) { __asm__ volatile(""); }

int main() {
  attachHandler("f", onHit, "a");
  tprt_probe *second = attachHandler("f", onHit, "b");
  attachHandler("f", onHit, "c");
  f(), putchar('\n');
  tprt_probe_detach(second, -1);
  f(), putchar('\n');
  attachHandler("f", onHit, "b");
  f(), putchar('\n');
}
