// If this fails, tprt_point_enable() does not turn on exactly the points of its
// object, or it accepts something that is not a point.
//
// RUN: %plain_clang -O2 -I %S/Inputs %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: it was done, matched 2
// CHECK: first 1
// CHECK: first 2
// CHECK-NOT: other
// CHECK: no object: an argument is not valid: the selector has a count of sites but no list of them
// CHECK: another object: no site matches the selector: no loaded module with sites has a point at
#include "point.h"
#include "tprt/point.h"

#include <stdio.h>

POINT_OBJECT(first);
static struct point_object other = {0, 2, "", "first"};

__attribute__((noinline)) void run(uint64_t x) {
  POINT(first, "%lu %lu", x, 0);
  POINT(first, "%lu again %lu", x + 1, 0);
  POINT(second, "%lu %lu", x, 0);
}

static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) {
  tprt_site_info info;
  tprt_site_describe(event->site, &info);
  printf("%s %d\n", info.name, (int)tprt_regs_argument(regs, 0));
}

int main(void) {
  tprt_action action = {.handler = onHit};
  tprt_probe *probe;
  tprt_result result;
  tprt_status status = tprt_point_enable(&first, &action, &probe, &result);
  printf("%s, matched %zu\n", tprt_status_string(status), result.matched);
  run(1);
  tprt_probe_detach(probe, -1);
  run(3);
  status = tprt_point_enable(NULL, &action, &probe, NULL);
  printf("no object: %s: %s\n", tprt_status_string(status), tprt_error_string());
  status = tprt_point_enable(&other, &action, &probe, NULL);
  printf("another object: %s: %s\n", tprt_status_string(status), tprt_error_string());
  return 0;
}
