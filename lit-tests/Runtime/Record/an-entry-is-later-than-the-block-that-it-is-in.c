// A thread's first event needs a block, whose making takes longer than most calls. The time of a call's entry is read
// after that: otherwise the first call of each thread would seem to take as long as the making.
//
// RUN: %clang -O1 -fplugin-arg-tp-entry=2,0 -fplugin-arg-tp-exit %s -o %t %tprt_flags && rm -f %t.tp
// RUN: env TPRT_OPTIONS="record=%t.tp:called" %t
// RUN: %python %S/Inputs/first-entries.py %t.tp | FileCheck %s
// RUN: rm -f %t.tp && env TPRT_OPTIONS="record=%t.tp:called,args=2" %t
// RUN: %python %S/Inputs/first-entries.py %t.tp | FileCheck %s
// CHECK: 5 threads, 0 entries before their blocks
#include <pthread.h>
#include <stddef.h>

__attribute__((noinline)) int called(int a, int b) {
  __asm__ volatile("" ::: "memory");
  return a + b;
}

// All threads are there at once, so that none continues another's block.
static pthread_barrier_t all;

static void *run(void *arg) {
  int sum = called(1, 2);
  pthread_barrier_wait(&all);
  return sum ? NULL : arg;
}

int main(void) {
  pthread_t threads[4];
  pthread_barrier_init(&all, NULL, 5);
  for (int i = 0; i < 4; ++i)
    pthread_create(&threads[i], NULL, run, NULL);
  run(NULL);
  for (int i = 0; i < 4; ++i)
    pthread_join(threads[i], NULL);
}
