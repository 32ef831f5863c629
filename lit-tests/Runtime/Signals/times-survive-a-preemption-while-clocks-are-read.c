// A thread compares two clocks, and loses the processor between the two readings. That must not
// change the computed length of a tick. Here the thread loses the processor for 30 ms, in the
// middle of the first comparison. That is a tenth of the measured time.
//
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 %s %tprt_interposed_flags -ldl -o %t
// RUN: %run %t | FileCheck %s
//
// CHECK: the same to a twentieth
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <time.h>
#include <tprt/tprt.h>

static int preempted; // calls until the one that takes long
static int (*real)(clockid_t, struct timespec *);

// Replaces libc's function, also for libtprt.
int clock_gettime(clockid_t clock, struct timespec *now) {
  if (!real)
    *(void **)&real = dlsym(RTLD_NEXT, "clock_gettime");
  int result = real(clock, now);
  if (preempted && !--preempted)
    nanosleep(&(struct timespec){0, 30000000}, NULL);
  return result;
}

static uint64_t times[2];
static void handler(const tprt_event *event, const tprt_regs *regs, void *data) {
  times[times[0] != 0] = tprt_event_time(event);
}
__attribute__((noinline)) void f(void) { __asm__ volatile(""); }

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1e9 + t.tv_nsec;
}

int main() {
  tprt_selector selector = {.function = "f"};
  tprt_action action = {.handler = handler, .flags = TPRT_HANDLER_TIME};
  tprt_probe *probe;
  preempted = 1;
  tprt_status status = tprt_probe_attach(&selector, &action, &probe, NULL);
  if (status != TPRT_STATUS_OK || preempted)
    return printf("attach: %s, %d\n", tprt_error_string(), preempted);
  double start = now();
  f();
  nanosleep(&(struct timespec){0, 300000000}, NULL);
  tprt_ticks_to_ns(1);
  f();
  double taken = now() - start;
  double told = (double)tprt_ticks_to_ns(times[1] - times[0]);
  double ratio = told / taken;
  printf(ratio > 0.95 && ratio < 1.05 ? "the same to a twentieth\n" : "told %.0f ns, taken %.0f\n", told, taken);
}
