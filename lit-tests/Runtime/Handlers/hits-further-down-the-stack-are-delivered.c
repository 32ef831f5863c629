// A trampoline lowers its thread's guard when a handler has returned. If this fails, later hits
// deeper in the stack count as hits inside the handler and are not delivered.
//
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 -fplugin-arg-tp-exit %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK-COUNT-2: one 12, three 12, six 12, vectors 12, many 12, variadic 12, wide 12, tail 10, 0 missed
#include "../Inputs/harness.h"

typedef struct {
  long low, high;
} pair;
#define SLEDS __attribute__((noinline, tp_opaque))
SLEDS long one(long n) { return n ? 2 * one(n - 1) + 1 : 0; }
SLEDS long three(long n, long b, long c) { return n ? 2 * three(n - 1, c, b) + 1 : b; }
SLEDS long six(long n, long b, long c, long d, long e, long f) { return n ? 2 * six(n - 1, c, d, e, f, b) + 1 : b; }
SLEDS double vectors(long n, double b) { return n ? vectors(n - 1, b) + b : b; }
SLEDS double many(long n, long b, long c, long d, double e) { return n ? many(n - 1, c, d, b, e) + e : b; }
SLEDS long variadic(long n, ...) { return n ? variadic(n - 1, 2.0) + 1 : 0; }
SLEDS pair wide(long n) { return n ? (pair){wide(n - 1).low, n} : (pair){n, n}; }
static long middle(long n);
SLEDS long tail(long n) { return middle(n - 1); }
__attribute__((noinline, tp_never)) static long middle(long n) { return n > 0 ? tail(n) + 1 : 0; }

static volatile int hits;
__attribute__((tp_never)) static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) {
  ++hits;
}

#define CALL(NAME, ...) (hits = 0, NAME(5, ##__VA_ARGS__), printf(#NAME " %d, ", hits))
int main() {
  for (uint32_t flags = 0; flags < 2; ++flags) {
    tprt_action action = {.handler = onHit, .flags = flags ? TPRT_HANDLER_GENERAL_REGS_ONLY : 0};
    tprt_probe *probe = attach("*", TPRT_KIND_SET_ALL, action);
    CALL(one), CALL(three, 1, 2), CALL(six, 1, 2, 3, 4, 5), CALL(vectors, 1);
    CALL(many, 1, 2, 3, 4), CALL(variadic, 2.0), CALL(wide), CALL(tail);
    tprt_stats stats = readStats();
    printf("%lu missed\n", (unsigned long)stats.missed);
    tprt_probe_detach(probe, -1);
  }
}
