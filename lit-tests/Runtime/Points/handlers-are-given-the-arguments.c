// If this fails, an enabled point does not call its handler,
// or the words in the registers are not the point's arguments.
//
// RUN: %plain_clang -O2 -I %S/Inputs %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: off: 0 evaluated
// CHECK: request_done id=%u size=%u ll [[# @LINE + 14]]: matched 1, enabled 1
// CHECK: hit kind 3: 7 14
// CHECK: hit kind 3: 8 16
// CHECK: on: 2 evaluated
// CHECK: detached: 2 evaluated
#include "point.h"
#include "tprt/tprt.h"

#include <stdio.h>

static int evaluated;
static uint64_t twice(uint64_t x) { return ++evaluated, 2 * x; }

__attribute__((noinline)) void request(uint64_t id) {
  POINT(request_done, "id=%u size=%u", id, twice(id));
}

static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) {
  printf("hit kind %u: %d %d\n", event->kind, (int)tprt_regs_argument(regs, 0), (int)tprt_regs_argument(regs, 1));
}

static int describe(const tprt_site *site, void *data) {
  tprt_site_info info;
  tprt_site_describe(site, &info);
  printf("%s %s %s %u: ", info.name, info.format, info.types, info.line);
  return 0;
}

int main(void) {
  request(6);
  printf("off: %d evaluated\n", evaluated);
  tprt_selector selector = {.function = "request_*", .kinds = TPRT_KIND_SET_POINT};
  tprt_action action = {.handler = onHit};
  tprt_probe *probe;
  tprt_result result;
  tprt_site_visit(&selector, describe, NULL);
  if (tprt_probe_attach(&selector, &action, &probe, &result) != TPRT_STATUS_OK)
    return puts(tprt_error_string()), 1;
  printf("matched %zu, enabled %zu\n", result.matched, result.enabled);
  request(7);
  request(8);
  printf("on: %d evaluated\n", evaluated);
  tprt_probe_detach(probe, -1);
  request(9);
  printf("detached: %d evaluated\n", evaluated);
  return 0;
}
