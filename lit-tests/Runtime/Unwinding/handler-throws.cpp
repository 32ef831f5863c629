// An exception thrown by a handler unwinds through trampoline and traced function
// into the function's caller; the next hits are delivered, and detach returns. (If
// the compiler knows that the function cannot throw, its caller has no handler, and
// the program ends as for any exception out of noexcept.) The same holds at a return and
// at a tail call.
//
// RUN: %clangxx -O2 -fplugin-arg-tp-entry=2,0 %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
// RUN: %clangxx -O2 -fplugin-arg-tp-entry=2,0 -fplugin-arg-tp-exit -DAT=TPRT_KIND_EXIT -DPLUS=+1 %s %tprt_flags -o %t.exits
// RUN: %t.exits | FileCheck %s
// RUN: %clangxx -O2 -fplugin-arg-tp-entry=2,0 -fplugin-arg-tp-exit -DAT=TPRT_KIND_TAIL_EXIT %s %tprt_flags -o %t.tails
// RUN: %t.tails | FileCheck %s
//
// CHECK: 101 hits, 100 caught, 0 missed, detach: it was done
#include "../Inputs/harness.h"
#include <cstdio>

#ifndef AT
#define AT TPRT_KIND_ENTRY
#endif
#ifndef PLUS
#define PLUS
#endif
static int hits;
[[tp::never]] static void onHit(const tprt_event *event, const tprt_regs *, void *) {
  if (event->kind == AT && ++hits <= 100)
    throw 7;
}
static int identity(int x) { return x; }
static int (*volatile mayThrow)(int) = identity;
__attribute__((noinline)) int traced(int x) { return mayThrow(x) PLUS; }
int main() {
  tprt_probe *probe = attach("traced*", TPRT_KIND_SET_ALL, {.handler = onHit});
  int caught = 0;
  for (int i = 0; i < 100; ++i)
    try {
      traced(i);
    } catch (int) {
      ++caught;
    }
  traced(0);
  tprt_stats stats = readStats();
  std::printf("%d hits, %d caught, %lu missed, detach: %s\n", hits, caught, (unsigned long)stats.missed,
              detach(probe, 2000));
}
