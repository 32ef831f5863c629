// A thousand threads start, call and end while probes are attached and detached. A
// permanent counting probe counts every call, and no detach waits for a thread that has
// ended.
//
// RUN: %clang -O2 -pthread -fplugin-arg-tp-entry=2,0 %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: 1000 threads, 20000 calls counted, 0 detaches failed, handler called
#include "../Inputs/harness.h"
#include <pthread.h>

static volatile int stop;
static int failed, hits;
static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) {
  __atomic_fetch_add(&hits, 1, __ATOMIC_RELAXED);
}
__attribute__((noinline)) void f(int i) { __asm__ volatile("" ::"r"(i)); }

static void *toggle(void *unused) {
  while (!stop || !hits) {
    tprt_probe *probe = attachHandler("f", onHit, NULL);
    failed += tprt_probe_detach(probe, 10000) != TPRT_STATUS_OK;
  }
  return unused;
}

static void *work(void *unused) {
  for (int i = 0; i < 20; ++i)
    f(i);
  return unused;
}

int main() {
  tprt_probe *probe = attachCounter("f");
  pthread_t toggler, threads[40];
  pthread_create(&toggler, NULL, toggle, NULL);
  int started = 0;
  for (; started < 1000; started += 40) {
    for (int i = 0; i < 40; ++i)
      pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 40; ++i)
      pthread_join(threads[i], NULL);
  }
  unsigned long counted = tprt_probe_count(probe);
  stop = 1;
  if (!hits) // the toggler waits for one
    while (!hits)
      f(0);
  pthread_join(toggler, NULL);
  printf("%d threads, %lu calls counted, %d detaches failed, handler %s\n", started, counted, failed,
         hits ? "called" : "not called");
}
