// A thread executes an int3 of ours, and another thread sends it a SIGTRAP at that
// moment. The kernel keeps one of the two signals. If this fails, the hit is lost, and
// the thread continues in the middle of the sled's instruction and gets SIGILL.
//
// REQUIRES: x86_64-host
// RUN: %clang -O2 -pthread -fplugin-arg-tp-entry=4,0 -fplugin-arg-tp-slot=none %s %tprt_flags -o %t
// RUN: %t
#include "../Inputs/harness.h"
#include <pthread.h>
#include <signal.h>

#define PLAIN __attribute__((tp_never))
enum { kCalls = 100000 };
static pthread_t caller;
static int hits, done;
static volatile long seen;
__attribute__((noinline)) void f(void) { __asm__ volatile(""); }
PLAIN static void onSignal(int number) { ++seen; }
PLAIN static void *send(void *unused) {
  while (!__atomic_load_n(&done, __ATOMIC_RELAXED))
    pthread_kill(caller, SIGTRAP);
  return unused;
}

PLAIN int main(void) {
  tprt_selector selector = {.function = "f", .flags = TPRT_SELECT_TRAPS};
  pthread_t sender;
  caller = pthread_self();
  signal(SIGTRAP, onSignal);
  attachSelected(selector, (tprt_action){.handler = countHit, .data = &hits});
  pthread_create(&sender, NULL, send, NULL);
  int calls = 0;
  for (; calls < kCalls || seen < kCalls / 100; ++calls)
    f();
  __atomic_store_n(&done, 1, __ATOMIC_RELAXED);
  pthread_join(sender, NULL);
  return hits == calls ? 0 : printf("%d hits of %d\n", hits, calls);
}
