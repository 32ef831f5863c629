// A uprobe is set on an enabled sled and removed, with or without a hit. Whatever the sled's shape,
// the function must work afterwards: the rest of our jump must have no effect. The runtime detects
// that the sled is off. A second probe, or the next attach, flips the sled again for both probes.
// While a uprobe is at a disabled sled, probes are refused with a reason.
//
// REQUIRES: uprobes, x86_64-host
// RUN: %clang -O2 -fplugin-arg-tp-exit %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: 2 short, 4 long, 2 of them tail calls, 2 ret
// CHECK-NEXT: it was done: all are on, 4 of 4 results are right, each site was hit 1 times{{$}}
// CHECK-NEXT: not hit: none is on, 4 of 4 results are right, each site was hit 0 times{{$}}
// CHECK-NEXT: it was done: all are on, 4 of 4 results are right, each site was hit 2 times{{$}}
// CHECK-NEXT: there: none is on, 4 of 4 results are right, each site was hit 0 times{{$}}
// CHECK-NEXT: gone: none is on, 4 of 4 results are right, each site was hit 0 times{{$}}
// CHECK-NEXT: it was done, it was done: none is on, 4 of 4 results are right, each site was hit 0 times{{$}}
// CHECK-NEXT: every matching site was refused
// CHECK-NEXT: there: none is on, 4 of 4 results are right, each site was hit 0 times{{$}}
// CHECK-NEXT: every matching site was refused
// CHECK-NEXT: it was done: all are on, 4 of 4 results are right, each site was hit 1 times{{$}}
// CHECK-NEXT: it was done: none is on, 4 of 4 results are right, each site was hit 0 times{{$}}
#include "../Inputs/uprobe.h"
#include "tprt/tprt.h"

enum { Functions = 4, Most = 32 };
__attribute__((noinline, tp_never)) static int same(int x) { return x; }
static int (*volatile next)(int) = same;
__attribute__((noinline, tp_entry(2, 0))) static int f0(int x) { return x + 1; }
__attribute__((noinline, tp_entry(5, 0), aligned(16))) static int f1(int x) { return x + 1; }
__attribute__((noinline, tp_entry(5, 0), aligned(16))) static int f2(int x) { return next(x + 1); }
__attribute__((noinline, tp_entry(2, 0))) static int f3(int x) { return next(x + 1); }
static int (*const volatile functions[Functions])(int) = {f0, f1, f2, f3};

static const tprt_site *sites[Most];
static int siteCount, uprobes[Most], hits, shapes[8], tails;

static int collect(const tprt_site *site, void *data) {
  tprt_site_info info;
  tprt_site_describe(site, &info);
  ++shapes[info.shape];
  tails += info.kind == TPRT_KIND_TAIL_EXIT;
  sites[siteCount++] = site;
  return 0;
}
static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) { ++hits; }
static tprt_status attach(tprt_probe **probe) {
  tprt_selector selector = {.function = "f?", .kinds = TPRT_KIND_SET_ALL};
  tprt_action action = {.handler = onHit};
  return tprt_probe_attach(&selector, &action, probe, NULL);
}

// Each site once.
static void callAll(const char *when) {
  int on = 0, right = 0;
  for (int i = 0; i < siteCount; ++i) {
    tprt_site_info info;
    tprt_site_describe(sites[i], &info);
    on += info.state;
  }
  tprt_stats stats;
  tprt_stats_read(&stats);
  hits = 0;
  for (int i = 0; i < Functions; ++i)
    right += functions[i](7) == 8;
  printf("%s: %s, %d of %d results are right, each site was hit %d times%s\n", when,
         on == siteCount ? "all are on"
         : on            ? "some are on"
                         : "none is on",
         right, Functions, hits / siteCount, on != (int)stats.enabled || hits % siteCount ? ", or so" : "");
}
static void placeUprobes(void) {
  for (int i = 0; i < siteCount; ++i) {
    tprt_site_info info;
    tprt_site_describe(sites[i], &info);
    uprobes[i] = openUprobe(info.sled);
  }
}
static void removeUprobes(void) {
  for (int i = 0; i < siteCount; ++i)
    close(uprobes[i]);
}

int main() {
  tprt_selector selector = {.function = "f?", .kinds = TPRT_KIND_SET_ALL};
  tprt_site_visit(&selector, collect, NULL);
  printf("%d short, %d long, %d of them tail calls, %d ret\n", shapes[TPRT_SHAPE_SHORT], shapes[TPRT_SHAPE_LONG], tails,
         shapes[TPRT_SHAPE_RET]);
  tprt_probe *first, *second;
  tprt_status status = attach(&first);
  callAll(tprt_status_string(status));
  placeUprobes();
  removeUprobes();
  callAll("not hit");
  status = attach(&second);
  callAll(tprt_status_string(status));
  placeUprobes();
  callAll("there");
  removeUprobes();
  callAll("gone");
  printf("%s, ", tprt_status_string(tprt_probe_detach(first, -1)));
  status = tprt_probe_detach(second, -1);
  callAll(tprt_status_string(status));
  placeUprobes();
  puts(tprt_status_string(attach(&first)));
  callAll("there"); // newer kernels now replace a nop's uprobe by a call
  puts(tprt_status_string(attach(&first)));
  removeUprobes();
  status = attach(&first);
  callAll(tprt_status_string(status));
  status = tprt_probe_detach(first, -1);
  callAll(tprt_status_string(status));
}
