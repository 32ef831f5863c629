// If this fails, a point is redirected, or a handler may change a point's
// arguments, which the compiler does not expect.
//
// RUN: %plain_clang -O2 -I %S/Inputs %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: redirect: every matching site was refused: 1 of 1 site refused, the first work ({{.*}}): only entries of functions
// CHECK: change: every matching site was refused: 1 of 1 site refused, the first work ({{.*}}): {{.*}}no probe can change the arguments of a point
// CHECK: {{^}}0 evaluated
#include "point.h"
#include "tprt/tprt.h"

#include <stdio.h>

static int evaluated;
static uint64_t seen(uint64_t x) { return ++evaluated, x; }
__attribute__((noinline)) void work(uint64_t x) { POINT(work, "%lu %lu", x, seen(x)); }

static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) {}

static void attach(const char *what, const tprt_action *action) {
  tprt_probe *probe;
  tprt_status status = tprt_probe_attach(&(tprt_selector){.kinds = TPRT_KIND_SET_POINT}, action, &probe, NULL);
  printf("%s: %s: %s\n", what, tprt_status_string(status), tprt_error_string());
}

int main(void) {
  attach("redirect", &(tprt_action){.kind = TPRT_ACTION_REDIRECT, .replacement = (const void *)work});
  attach("change", &(tprt_action){.handler = onHit, .flags = TPRT_HANDLER_CHANGES_REGS});
  work(1);
  printf("%d evaluated\n", evaluated);
  return 0;
}
