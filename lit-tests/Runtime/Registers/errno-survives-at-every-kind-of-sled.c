// Each trampoline keeps errno around a handler: those of entries, returns and tail calls, and
// those for each set of live registers.
//
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 -fplugin-arg-tp-exit %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: one: 2 hits, errno 7
// CHECK-NEXT: three: 2 hits, errno 7
// CHECK-NEXT: six: 2 hits, errno 7
// CHECK-NEXT: vectors: 2 hits, errno 7
// CHECK-NEXT: many: 2 hits, errno 7
// CHECK-NEXT: variadic: 2 hits, errno 7
// CHECK-NEXT: wide: 2 hits, errno 7
// CHECK-NEXT: tail: 4 hits, errno 7
#include "../Inputs/harness.h"
#include <errno.h>

typedef struct {
  long low, high;
} pair;
#define SLEDS __attribute__((noinline, tp_opaque))
SLEDS long one(long a) { return a + 1; }
SLEDS long three(long a, long b, long c) { return a + b * c; }
SLEDS long six(long a, long b, long c, long d, long e, long f) { return a + b * c + d * e + f; }
SLEDS double vectors(long a, double b, double c) { return a + b * c; }
SLEDS double many(long a, long b, long c, long d, double e) { return a + b * c + d * e; }
SLEDS long variadic(long a, ...) { return a + 1; }
SLEDS pair wide(long a) { return (pair){a, a + 1}; }
SLEDS long tail(long a) { return one(a + 1); }

static volatile int hits;
__attribute__((tp_never)) static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) {
  errno = 8;
  ++hits;
}

#define CALL(NAME, ...)                                                                            \
  (errno = 7, hits = 0, NAME(__VA_ARGS__), printf(#NAME ": %d hits, errno %d\n", hits, errno))
int main() {
  attach("*", TPRT_KIND_SET_ALL, (tprt_action){.handler = onHit});
  one(1); // a thread's first hit takes another path
  CALL(one, 1);
  CALL(three, 1, 2, 3);
  CALL(six, 1, 2, 3, 4, 5, 6);
  CALL(vectors, 1, 2, 3);
  CALL(many, 1, 2, 3, 4, 5);
  CALL(variadic, 1, 2.0);
  CALL(wide, 1);
  CALL(tail, 1);
}
