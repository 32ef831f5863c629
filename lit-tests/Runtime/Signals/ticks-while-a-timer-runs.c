// The first call of tprt_ticks_to_ns() waits for 20 ms, even if a timer of the program
// interrupts each wait, as a profiler's timer does. The call is not a cancellation point.
//
// RUN: %clang -O2 %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: told
#include "tprt/tprt.h"
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>

static void tick(int number) {}
int main(void) {
  sigaction(SIGALRM, &(struct sigaction){.sa_handler = tick, .sa_flags = SA_RESTART}, NULL);
  setitimer(ITIMER_REAL, &(struct itimerval){{0, 1000}, {0, 1000}}, NULL);
  pthread_cancel(pthread_self());
  uint64_t ns = tprt_ticks_to_ns(1000000000);
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
  puts(ns ? "told" : "0");
}
