// If this fails, TPRT_POINT_ON does not return whether the point is on.
//
// RUN: %plain_clang -O2 -I %S/Inputs %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: at first: 0 0
// CHECK: another point: 0 0
// CHECK: counting: 0 0
// CHECK: called: 1 0
// CHECK: by a pattern, 1 matched: 0 1
// CHECK: by both: 1 1
// CHECK: at last: 0 0
// CHECK: tests are not listed
#include "point.h"
#include "tprt/tprt.h"

#include <stdio.h>

__attribute__((noinline)) void trace(uint64_t x) {
  POINT(sent, "%lu %lu", x, x);
  POINT(received, "%lu %lu", x, x);
}
__attribute__((noinline)) int isSentOn(void) { return POINT_ON(sent); }
__attribute__((noinline)) int isLoneOn(void) { return POINT_ON(lone); }

static void say(const char *when) { printf("%s: %d %d\n", when, isSentOn(), isLoneOn()); }
static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) {}

static tprt_action call = {.handler = onHit}, count = {.kind = TPRT_ACTION_COUNT};
static tprt_result result;

static tprt_probe *attach(const char *name, const tprt_action *action) {
  tprt_selector selector = {.function = name, .kinds = TPRT_KIND_SET_POINT};
  tprt_probe *probe = NULL;
  tprt_probe_attach(&selector, action, &probe, &result);
  return probe;
}

static int list(const tprt_site *site, void *data) {
  tprt_site_info info;
  tprt_site_describe(site, &info);
  if (info.style == TPRT_POINT_STYLE_TEST)
    puts("listed");
  return 0;
}

int main(void) {
  tprt_selector all = {.kinds = TPRT_KIND_SET_POINT};
  say("at first");
  tprt_probe *one = attach("received", &call);
  say("another point");
  tprt_probe *two = attach("sent", &count);
  attach("lone", &count);
  say("counting");
  tprt_probe *three = attach("sent", &call);
  say("called");
  tprt_probe_detach(three, -1);
  tprt_probe *four = attach("lon*", &call);
  printf("by a pattern, %zu matched", result.matched);
  say("");
  tprt_probe *five = attach("*", &call);
  tprt_probe_detach(four, -1);
  say("by both");
  tprt_probe_detach(five, -1);
  tprt_probe_detach(two, -1);
  tprt_probe_detach(one, -1);
  say("at last");
  tprt_site_visit(&all, list, NULL);
  puts("tests are not listed");
  return 0;
}
