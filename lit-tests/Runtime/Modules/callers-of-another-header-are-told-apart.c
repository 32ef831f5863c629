// If this fails, structures of a program that was compiled with another version's
// header are read or written with this version's sizes.
//
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: later: {{.*}}: the caller was compiled with tprt.h of version 0.9, and this libtprt is 0.
// CHECK: before 0.2: an argument is not valid: the caller's tprt_layout has a version
// CHECK: without a layout: an argument is not valid: the caller's tprt_layout
// CHECK: a selector cut short: an argument is not valid: the caller's tprt_layout
// CHECK: larger than its version: an argument is not valid: the caller's tprt_layout
// CHECK: in a handler: 1 refused
// CHECK: another patch: it was done
// CHECK: shorter structures: it was done, 1 matched, 77 after them
// CHECK: shorter description: f, 77 after it
// CHECK: shorter figures: 1 modules, 77 after them
#include "tprt/tprt.h"

#include <stdio.h>
#include <string.h>

__attribute__((noinline)) void f(void) { __asm__ volatile(""); }

static tprt_layout layout;
static int refused;
static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) {
  tprt_site_info info;
  refused += tprt_site_describe_sized(&layout, event->site, &info) == TPRT_STATUS_UNSUPPORTED;
}

static tprt_selector selector = {.function = "f"};
static tprt_action action = {.handler = onHit};
static tprt_probe *probe;

static void attach(const char *what, const tprt_layout *as) {
  tprt_status status = tprt_probe_attach_sized(as, &selector, &action, &probe, NULL);
  printf("%s: %s%s%s\n", what, tprt_status_string(status), probe ? "" : ": ", probe ? "" : tprt_error_string());
  if (probe)
    tprt_probe_detach(probe, -1);
}

static int first(const tprt_site *site, void *to) {
  *(const tprt_site **)to = site;
  return 0;
}

int main(void) {
  layout = *tprt_layout_here();
  layout.version = 0x000900;
  attach("later", &layout);
  layout.version = 0x000100;
  attach("before 0.2", &layout);
  attach("without a layout", NULL);
  layout = *tprt_layout_here();
  layout.selector = 3;
  attach("a selector cut short", &layout);
  layout = *tprt_layout_here();
  ++layout.action;
  attach("larger than its version", &layout);

  tprt_probe_attach(&selector, &action, &probe, NULL);
  layout.version = 0x000900;
  f();
  printf("in a handler: %d refused\n", refused);
  tprt_probe_detach(probe, -1);

  layout = *tprt_layout_here();
  layout.version ^= 1;
  attach("another patch", &layout);

  // As if these structures had grown since the caller was compiled:
  // libtprt must not touch the data after the caller's shorter structures.
  layout = *tprt_layout_here();
  layout.result = offsetof(tprt_result, first_refused);
  layout.site_info = offsetof(tprt_site_info, kind);
  layout.stats = offsetof(tprt_stats, sites);
  tprt_result result;
  memset(&result, 77, sizeof result);
  tprt_status status = tprt_probe_attach_sized(&layout, &selector, &action, &probe, &result);
  printf("shorter structures: %s, %zu matched, %d after them\n", tprt_status_string(status), result.matched,
         *(char *)&result.first_refused);
  tprt_probe_detach(probe, -1);
  const tprt_site *site = NULL;
  tprt_site_visit(&selector, first, &site);
  tprt_site_info info;
  memset(&info, 77, sizeof info);
  tprt_site_describe_sized(&layout, site, &info);
  printf("shorter description: %s, %d after it\n", info.name, info.kind);
  tprt_stats stats;
  memset(&stats, 77, sizeof stats);
  tprt_stats_read_sized(&layout, &stats);
  printf("shorter figures: %zu modules, %d after them\n", stats.modules, *(char *)&stats.sites);
}
