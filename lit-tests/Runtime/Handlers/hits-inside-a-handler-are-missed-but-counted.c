// If a handler calls a probed function, the handler is not called again for that hit,
// because the recursion would never end. The hit is counted in the statistics as missed,
// and a counting probe counts it.
//
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: 3 hits, 3 missed, 6 counted, in handler: this call is not allowed from inside a handler
#include "../Inputs/harness.h"

static int hits;
static tprt_status inside;
static tprt_probe *probe;
__attribute__((noinline)) void f(void) { __asm__ volatile(""); }
static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) {
  ++hits;
  f();
  inside = tprt_probe_detach(probe, 0);
}

int main() {
  probe = attachHandler("f", onHit, NULL);
  tprt_probe *counter = attachCounter("f");
  f(), f(), f();
  tprt_stats stats = readStats();
  printf("%d hits, %lu missed, %lu counted, in handler: %s\n", hits, (unsigned long)stats.missed,
         (unsigned long)tprt_probe_count(counter), tprt_status_string(inside));
}
