// A call that is refused for its arguments writes a line. A thread that is to be cancelled
// must not end in that write, as signals would then stay blocked in its cleanup handlers.
//
// RUN: %clang -O2 -pthread -fplugin-arg-tp-entry=2,0 %s %tprt_flags -o %t
// RUN: env TPRT_OPTIONS=verbose=1 %t 2>&1 | FileCheck %s
//
// CHECK: tprt: a duration probe needs a handler
// CHECK: it returned
// CHECK: cancelled after it
#include "tprt/duration.h"
#include <pthread.h>
#include <stdio.h>

static int after;
static void *run(void *unused) {
  tprt_duration_probe *durations;
  pthread_cancel(pthread_self());
  tprt_duration_probe_attach(NULL, NULL, NULL, 0, &durations, NULL);
  after = 1;
  pthread_testcancel();
  return unused;
}

int main() {
  pthread_t thread;
  void *result;
  pthread_create(&thread, NULL, run, NULL);
  pthread_join(thread, &result);
  puts(after ? "it returned" : "it did not return");
  puts(result == PTHREAD_CANCELED && after ? "cancelled after it" : "cancelled in it");
}
