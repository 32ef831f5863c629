// If this fails, the hits that a static branch counts are attributed to several sleds of
// its point, or to none.
//
// RUN: %plain_clang -O2 -I %S/Inputs %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// The compiler copies the statement with the inlined function: several static branches and
// sleds of one descriptor.
// CHECK: attach: it was done, more than one sled
// CHECK: counted 30, over the sleds 30
#include "point.h"
#include "tprt/tprt.h"

#include <stdio.h>

static inline __attribute__((always_inline)) void step(uint64_t x) { POINT(step, "%lu %lu", x, x); }

__attribute__((noinline)) void one(uint64_t x) { step(x); }
__attribute__((noinline)) void two(uint64_t x) { step(x), step(x + 1); }

static int add(const tprt_site *site, uint64_t count, void *data) {
  *(uint64_t *)data += count;
  return 0;
}

int main(void) {
  tprt_selector selector = {.function = "step", .kinds = TPRT_KIND_SET_POINT};
  tprt_action count = {.kind = TPRT_ACTION_COUNT};
  tprt_probe *probe;
  tprt_result result;
  uint64_t sum = 0;
  tprt_status status = tprt_probe_attach(&selector, &count, &probe, &result);
  printf("attach: %s, %s\n", tprt_status_string(status), result.enabled > 1 ? "more than one sled" : "one sled");
  for (int i = 0; i < 10; ++i)
    one(i), two(i);
  tprt_probe_visit_counts(probe, add, &sum);
  printf("counted %d, over the sleds %d\n", (int)tprt_probe_count(probe), (int)sum);
  return 0;
}
