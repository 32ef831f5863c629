// If this fails, a selector finds points that it does not select, finds static branches, or finds
// points among functions.
//
// RUN: %plain_clang -O2 -g0 -I %S/Inputs %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: all points: 2
// CHECK: by the file's name: 2
// CHECK: by another file's name: 0
// CHECK: by the address of a sled: 1
// CHECK: by a list of entries and points: 2
// CHECK: among all functions: 0 no loaded module has a sled table
// CHECK: by name as a function: 0
// CHECK: figures: 2 sites, 2 enabled, 1 modules
#include "point.h"
#include "tprt/tprt.h"

#include <stdio.h>

__attribute__((noinline)) void work(uint64_t x) {
  POINT(first, "%lu %lu", x, x);
  POINT(second, "%lu %lu", x, x);
}

static const tprt_site *found[8];
static int count;
static int take(const tprt_site *site, void *data) { return found[count++] = site, 0; }

static void visit(const char *what, const tprt_selector *selector) {
  count = 0;
  tprt_status status = tprt_site_visit(selector, take, NULL);
  printf("%s: %d %s\n", what, count, tprt_status_string(status));
}

static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) {}

int main(void) {
  enum { POINTS = TPRT_KIND_SET_POINT };
  visit("all points", &(tprt_selector){.kinds = POINTS});
  visit("by the file's name", &(tprt_selector){.source = "points-are-selected*.c", .kinds = POINTS});
  visit("by another file's name", &(tprt_selector){.source = "other.c", .kinds = POINTS});
  visit("all points", &(tprt_selector){.kinds = POINTS});
  const tprt_site *list[2] = {found[0], found[1]};
  tprt_site_info info;
  tprt_site_describe(found[0], &info);
  visit("by the address of a sled", &(tprt_selector){.address = info.sled, .kinds = POINTS});
  visit("by a list of entries and points", &(tprt_selector){.sites = list, .site_count = 2, .kinds = POINTS | TPRT_KIND_SET_ALL});
  visit("among all functions", NULL);
  visit("by name as a function", &(tprt_selector){.function = "first"});
  tprt_probe *probe;
  tprt_stats stats;
  tprt_probe_attach(&(tprt_selector){.kinds = POINTS}, &(tprt_action){.handler = onHit}, &probe, NULL);
  tprt_stats_read(&stats);
  printf("figures: %zu sites, %zu enabled, %zu modules\n", stats.sites, stats.enabled, stats.modules);
  return 0;
}
