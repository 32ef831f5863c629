// Six threads detach the same duration probe at once. The first thread to return attaches
// another probe, which may get the same memory. If this fails, one of the six threads
// detaches the new probe.
//
// RUN: %clang -O2 -pthread -fplugin-arg-tp-entry=2,0 -fplugin-arg-tp-exit %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: detached by somebody else: 0 of 30
#include "../Inputs/harness.h"
#include "tprt/duration.h"
#include <pthread.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { kThreads = 6, kRounds = 30 };
static volatile int inside, leave;
static int attachedNext, calling[kThreads];
static tprt_duration_probe *durations, *next;
__attribute__((noinline)) void f(void) { __asm__ volatile(""); }
__attribute__((noinline)) void g(void) { __asm__ volatile(""); }
__attribute__((tp_never)) static void onEnd(const tprt_duration *duration, void *data) {
  for (inside = 1; !leave;)
    usleep(100);
}
__attribute__((tp_never)) static void nothing(const tprt_duration *duration, void *data) {}
__attribute__((tp_never)) static tprt_duration_probe *attachDurations(const char *function, tprt_duration_handler handler) {
  tprt_selector selector = {.function = function};
  tprt_duration_probe *made;
  if (tprt_duration_probe_attach(&selector, handler, NULL, 0, &made, NULL))
    exit(puts(tprt_error_string()));
  return made;
}
__attribute__((tp_never)) static void *call(void *unused) {
  f();
  return unused;
}
__attribute__((tp_never)) static void *runDetach(void *thread) {
  __atomic_store_n((int *)thread, (int)syscall(SYS_gettid), __ATOMIC_SEQ_CST);
  if (!tprt_duration_probe_detach(durations, -1) && !__atomic_exchange_n(&attachedNext, 1, __ATOMIC_SEQ_CST))
    next = attachDurations("g", nothing);
  return thread;
}
__attribute__((tp_never)) int main(void) {
  int wrong = 0;
  for (int round = 0; round < kRounds; ++round) {
    inside = leave = attachedNext = 0;
    memset(calling, 0, sizeof calling);
    durations = attachDurations("f", onEnd);
    pthread_t caller, detachers[kThreads];
    pthread_create(&caller, NULL, call, NULL);
    while (!inside)
      usleep(50);
    for (int i = 0; i < kThreads; ++i)
      pthread_create(&detachers[i], NULL, runDetach, &calling[i]);
    for (int i = 0; i < kThreads; ++i)
      waitUntilAsleep(&calling[i]); // in its detach: nothing before it sleeps
    usleep(20000);                  // and none still waits for the lock there
    leave = 1;
    for (int i = 0; i < kThreads; ++i)
      pthread_join(detachers[i], NULL);
    pthread_join(caller, NULL);
    wrong += tprt_duration_probe_detach(next, -1) != TPRT_STATUS_OK;
  }
  printf("detached by somebody else: %d of %d\n", wrong, kRounds);
}
