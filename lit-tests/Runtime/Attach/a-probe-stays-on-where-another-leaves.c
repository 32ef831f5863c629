// If this fails, detaching a probe of many sites turns them off for other
// probes that share them, or leaves them on without any probe.
//
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 -fplugin-arg-tp-exit %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: both: 8 and 6 hits, 8 sites on
// CHECK-NEXT: the second: 8 and 12 hits, 6 sites on
// CHECK-NEXT: none: 8 and 12 hits, 0 sites on
#include "../Inputs/harness.h"

__attribute__((noinline)) void f_1(void) { __asm__ volatile("# 1"); }
__attribute__((noinline)) void f_2(void) { __asm__ volatile("# 2"); }
__attribute__((noinline)) void f_3(void) { __asm__ volatile("# 3"); }
__attribute__((noinline)) void f_4(void) { __asm__ volatile("# 4"); }
static int hits[2];

static void callAll(const char *who) {
  f_1(), f_2(), f_3(), f_4();
  tprt_stats stats = readStats();
  printf("%s: %d and %d hits, %zu sites on\n", who, hits[0], hits[1], stats.enabled);
}

int main() {
  const char *names[] = {"f_*", "f_[2-4]"};
  tprt_probe *probes[2];
  for (int i = 0; i < 2; ++i) {
    tprt_action action = {.handler = countHit, .data = &hits[i]};
    probes[i] = attach(names[i], TPRT_KIND_SET_ALL, action);
  }
  callAll("both");
  tprt_probe_detach(probes[0], -1);
  callAll("the second");
  tprt_probe_detach(probes[1], -1);
  callAll("none");
}
