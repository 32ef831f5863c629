// If this fails, a probe that counts at points evaluates arguments, or misses or repeats
// hits when another probe is attached and detached.
//
// RUN: %plain_clang -O2 -I %S/Inputs %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: counting: 5, 0 evaluated
// CHECK: next to a handler: 12, 7 evaluated
// CHECK: counting again: 16, 7 evaluated
// CHECK: work: 16
// CHECK: work: 0
// CHECK: a later one: 2
// CHECK: all off: 7 evaluated
#include "point.h"
#include "tprt/tprt.h"

#include <stdio.h>

static int evaluated;
static uint64_t seen(uint64_t x) { return ++evaluated, x; }

__attribute__((noinline)) void work(uint64_t x) { POINT(work, "%lu %lu", x, seen(x)); }
__attribute__((noinline)) void never(uint64_t x) { POINT(work, "%lu %lu", x, seen(x)); }

static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) {}

static int print(const tprt_site *site, uint64_t count, void *data) {
  tprt_site_info info;
  tprt_site_describe(site, &info);
  printf("%s: %d\n", info.name, (int)count);
  return 0;
}

static void run(int times) {
  for (int i = 0; i < times; ++i)
    work(i);
}

int main(void) {
  tprt_selector selector = {.function = "work", .kinds = TPRT_KIND_SET_POINT};
  tprt_action count = {.kind = TPRT_ACTION_COUNT}, call = {.handler = onHit};
  tprt_probe *counting, *calling, *later;
  if (tprt_probe_attach(&selector, &count, &counting, NULL) != TPRT_STATUS_OK)
    return puts(tprt_error_string()), 1;
  run(5);
  printf("counting: %d, %d evaluated\n", (int)tprt_probe_count(counting), evaluated);
  tprt_probe_attach(&selector, &call, &calling, NULL);
  run(7);
  printf("next to a handler: %d, %d evaluated\n", (int)tprt_probe_count(counting), evaluated);
  tprt_probe_detach(calling, -1);
  run(4);
  printf("counting again: %d, %d evaluated\n", (int)tprt_probe_count(counting), evaluated);
  tprt_probe_visit_counts(counting, print, NULL);
  tprt_probe_attach(&selector, &count, &later, NULL);
  tprt_probe_detach(counting, -1);
  run(2);
  printf("a later one: %d\n", (int)tprt_probe_count(later));
  tprt_probe_detach(later, -1);
  run(3);
  printf("all off: %d evaluated\n", evaluated);
  return 0;
}
