// A thread may end inside of calls, by pthread_exit or because it is cancelled. All its calls are in
// the recording, and its open calls end with the thread. The thread's events are complete, and the next
// thread starts afresh.
//
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 -fplugin-arg-tp-exit %s -o %t %tprt_flags -pthread
// RUN: rm -f %t.rec && env TPRT_OPTIONS="record=%t.rec:t_*" %t
// RUN: %tpctl report --sort=name %t.rec 2>&1 | FileCheck %s
//
// CHECK: note: {{.*}}: 400 calls were still open at the end
// CHECK-NOT: note
// CHECK: {{ }}200 {{.*}} t_inner
// CHECK: {{ }}200 {{.*}} t_leaf
// CHECK: {{ }}200 {{.*}} t_outer
// CHECK: 800 events of 200 threads {{.*}}, none lost
#include <pthread.h>
#include <stddef.h>
#include <unistd.h>

static volatile int ends = 1, begun;
__attribute__((noinline)) void t_leaf(void) { __asm__ volatile(""); }
__attribute__((noinline)) void t_inner(int cancelled) {
  t_leaf();
  while (cancelled) {
    begun = 1;
    pause();
  }
  if (ends)
    pthread_exit(NULL);
}
__attribute__((noinline)) void t_outer(int cancelled) {
  t_inner(cancelled);
  __asm__ volatile("");
}
static void *run(void *argument) {
  t_outer(argument != NULL);
  return NULL;
}
int main(void) {
  for (int i = 0; i < 200; ++i) {
    pthread_t thread;
    begun = 0;
    pthread_create(&thread, NULL, run, i % 2 ? &thread : NULL);
    if (i % 2) {
      while (!begun)
        usleep(100);
      pthread_cancel(thread);
    }
    pthread_join(thread, NULL);
  }
}
