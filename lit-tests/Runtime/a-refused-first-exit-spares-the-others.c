// An action is shared by neighbours. Where the first of them cannot be flipped
// after all (before a tail call, under PR_SET_MDWE), it is given up there, and
// must not be freed under the ones that follow.
//
// REQUIRES: mdwe
// RUN: %clang -O2 -fplugin-arg-tp-exit %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: it was done
// CHECK-NEXT: first's handler 2, other's 1
#include "tprt/tprt.h"
#include <stdio.h>
#include <sys/prctl.h>

static int hits, others;
static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) { ++*(int *)data; }
__attribute__((noinline, tp_never)) void target(void) { __asm__ volatile(""); }
__attribute__((noinline)) void jumps(void) { target(); }
__attribute__((noinline)) void f(void) { __asm__ volatile(""); }
__attribute__((noinline)) void g(void) { __asm__ volatile(""); }

static tprt_probe *attach(const char *function, int *count) {
  tprt_selector selector = {.function = function, .events = TPRT_EVENTS_ALL};
  tprt_action action = {.handler = onHit, .data = count};
  tprt_probe *probe;
  if (tprt_probe_attach(&selector, &action, &probe, NULL) && !probe)
    puts(tprt_last_error());
  return probe;
}

int main() {
  if (prctl(65 /* PR_SET_MDWE */, 1 /* PR_MDWE_REFUSE_EXEC_GAIN */, 0, 0, 0))
    return perror("PR_SET_MDWE"), 1;
  tprt_probe *probe = attach("[jf]*", &hits);
  f();
  tprt_probe_detach(attach("g", &others), -1);
  tprt_probe *other = attach("g", &others); // where the freed one lay
  f(), g();
  printf("%s\n", tprt_status_string(tprt_probe_detach(probe, 1000)));
  printf("first's handler %d, other's %d\n", hits, others);
  tprt_probe_detach(other, 1000);
}
