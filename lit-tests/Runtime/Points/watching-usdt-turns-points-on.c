// If libtprt watches USDT probes and a tracer raises a probe's semaphore, the point is on
// 0.2 s later. When the semaphore is zero again, the point is turned off. Without this,
// bpftrace and gdb would wait forever at a probe that is not inline.
// RUN: %plain_clang -O2 %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
// RUN: env TPRT_OPTIONS=usdt=1 %t option | FileCheck %s
#include "tprt/point.h"
#include "tprt/trace.h"

#include <stdio.h>
#include <unistd.h>

TPRT_POINT_USDT(test_provider, watched);
TPRT_POINT_USDT(test_provider, unwatched);

static int evaluated, others;

__attribute__((noinline)) static void trace(void) {
  TPRT_TRACE(watched, "evaluated=%d", ++evaluated);
  TPRT_TRACE(unwatched, "evaluated=%d", ++others);
}

// Waits until the statement's argument is evaluated, or is no longer evaluated.
static int becomes(int on) {
  for (int i = 0; i < 3000; ++i) { // 60 s, for a loaded machine
    int before = evaluated;
    trace();
    if ((evaluated != before) == on)
      return 1;
    usleep(20000);
  }
  return 0;
}

int main(int argc, char **argv) {
  (void)argv;
  volatile uint16_t *semaphore = &watched.point.semaphore;
  trace();
  // CHECK: before: 0
  printf("before: %d\n", evaluated);
  if (argc == 1 && tprt_usdt_watch(1) != TPRT_STATUS_OK)
    puts(tprt_error_string());
  *semaphore = 1;
  // CHECK-NEXT: raised: on 1
  printf("raised: on %d\n", becomes(1));
  *semaphore = 2;
  usleep(250000);
  *semaphore = 1; // one of two tracers has left
  usleep(250000);
  // CHECK-NEXT: one left: on 1
  printf("one left: on %d\n", becomes(1));
  *semaphore = 0;
  // CHECK-NEXT: none left: off 1
  printf("none left: off %d\n", becomes(0));
  *semaphore = 1;
  // CHECK-NEXT: again: on 1
  printf("again: on %d\n", becomes(1));
  // After the watching has stopped, all points are off.
  tprt_usdt_watch(0);
  int last = evaluated;
  trace();
  // CHECK-NEXT: stopped: 0 more, others 0
  printf("stopped: %d more, others %d\n", evaluated - last, others);
  return 0;
}
