// `every` counts a thread's hits on a site since the probe was attached. If this fails a
// thread continues the count of a thread that has ended, or a probe continues the count of
// an earlier probe or of another probe at the same site.
//
// RUN: %clang -O2 -pthread -fplugin-arg-tp-entry=2,0 %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: 20 threads of 9 hits, every 10th: 0
// CHECK-NEXT: 3 hits, then 8 with every 4th: 2, and every 5th: 1
#include "../Inputs/harness.h"
#include <pthread.h>

static int hits[2];
__attribute__((noinline)) void f(void) { __asm__ volatile(""); }
__attribute__((tp_never)) static void *call(void *times) {
  for (long i = 0; i < (long)times; ++i)
    f();
  return NULL;
}
__attribute__((tp_never)) static tprt_probe *attachEvery(unsigned every, int *data) {
  tprt_action action = {.handler = countHit, .data = data, .every = every};
  return attach("f", TPRT_KIND_SET_ENTRY, action);
}

__attribute__((tp_never)) int main(void) {
  tprt_probe *probe = attachEvery(10, &hits[0]);
  for (int i = 0; i < 20; ++i) {
    pthread_t thread;
    pthread_create(&thread, NULL, call, (void *)9);
    pthread_join(thread, NULL);
  }
  printf("20 threads of 9 hits, every 10th: %d\n", hits[0]);
  call((void *)3);
  tprt_probe_detach(probe, -1);
  hits[0] = 0;
  attachEvery(4, &hits[0]);
  attachEvery(5, &hits[1]);
  call((void *)8);
  printf("3 hits, then 8 with every 4th: %d, and every 5th: %d\n", hits[0], hits[1]);
}
