// `every` counts a thread's hits on a site since the probe was attached. If this fails a
// thread goes on with the count of one that has ended, or a probe with that of an earlier
// one or of another one at the same site.
//
// RUN: %clang -O2 -pthread -fplugin-arg-tp-entry=2,0 %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: 20 threads of 9 hits, every 10th: 0
// CHECK-NEXT: 3 hits, then 8 with every 4th: 2, and every 5th: 1
#include "tprt/tprt.h"
#include <pthread.h>
#include <stdio.h>

static int hits[2];
__attribute__((tp_never)) static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) {
  ++*(int *)data;
}
__attribute__((noinline)) void f(void) { __asm__ volatile(""); }
__attribute__((tp_never)) static void *call(void *times) {
  for (long i = 0; i < (long)times; ++i)
    f();
  return NULL;
}
__attribute__((tp_never)) static tprt_probe *attach(unsigned every, int *data) {
  tprt_selector selector = {.function = "f"};
  tprt_action action = {.handler = onHit, .data = data, .every = every};
  tprt_probe *probe = NULL;
  tprt_probe_attach(&selector, &action, &probe, NULL);
  return probe;
}

__attribute__((tp_never)) int main(void) {
  tprt_probe *probe = attach(10, &hits[0]);
  for (int i = 0; i < 20; ++i) {
    pthread_t thread;
    pthread_create(&thread, NULL, call, (void *)9);
    pthread_join(thread, NULL);
  }
  printf("20 threads of 9 hits, every 10th: %d\n", hits[0]);
  call((void *)3);
  tprt_probe_detach(probe, -1);
  hits[0] = 0;
  attach(4, &hits[0]);
  attach(5, &hits[1]);
  call((void *)8);
  printf("3 hits, then 8 with every 4th: %d, and every 5th: %d\n", hits[0], hits[1]);
}
