// Threads run through a function without a pause while a probe is attached to it again and again.
// Each attach and each detach must reach these threads. Under the emulator this fails if the emulator
// does not notice that the code is written. That was once so if a thread was running the code at that
// moment.
//
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 %s -o %t %tprt_flags -pthread
// RUN: %t | FileCheck %s
//
// CHECK: 100 attaches, each with hits
#include "../Inputs/harness.h"
#include <pthread.h>

static volatile int ended;
static unsigned hits;
__attribute__((noinline)) void step(void) { __asm__ volatile(""); }
NO_SLEDS void *run(void *unused) {
  while (!ended)
    step();
  return unused;
}
NO_SLEDS void count(const tprt_event *event, const tprt_regs *regs, void *data) {
  __atomic_fetch_add(&hits, 1, __ATOMIC_RELAXED);
}

// Runs for half a minute at most.
NO_SLEDS int comesAHit(void) {
  unsigned before = __atomic_load_n(&hits, __ATOMIC_RELAXED);
  for (int i = 0; i < 30000; ++i) {
    if (__atomic_load_n(&hits, __ATOMIC_RELAXED) != before)
      return 1;
    usleep(1000);
  }
  return 0;
}

int main(void) {
  enum { kThreads = 6 };
  pthread_t threads[kThreads];
  tprt_selector selector = {.function = "step"};
  tprt_action action = {.handler = count};
  for (int i = 0; i < kThreads; ++i)
    pthread_create(&threads[i], NULL, run, NULL);
  int good = 0;
  for (; good < 100; ++good) {
    tprt_probe *probe;
    if (tprt_probe_attach(&selector, &action, &probe, NULL) != TPRT_STATUS_OK || !comesAHit())
      break;
    if (tprt_probe_detach(probe, -1) != TPRT_STATUS_OK)
      break;
    usleep(1000);
  }
  printf("%d attaches, each with hits\n", good);
  ended = 1;
  for (int i = 0; i < kThreads; ++i)
    pthread_join(threads[i], NULL);
}
