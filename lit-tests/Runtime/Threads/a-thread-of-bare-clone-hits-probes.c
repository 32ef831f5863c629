// If this fails, a thread that the C library does not know of, on its creator's
// TLS, crashes in a trampoline, or detach does not wait for it. Another thread
// attaches and detaches meanwhile; the creator waits.
//
// RUN: %clang -O2 -pthread -fplugin-arg-tp-entry=2,0 %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: all right
#define _GNU_SOURCE
#include "tprt/tprt.h"
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <sys/mman.h>

static int running = 1; // until the kernel clears it
static volatile int stop, usable;
static volatile long calls, wrong, hits;

__attribute__((tp_never)) static void onHit(const tprt_event *e, const tprt_regs *r, void *data) {
  wrong += !usable;
  for (volatile int i = 0; i < 100; ++i)
    ;
  wrong += !usable; // detached, with us inside
  ++hits;
}
__attribute__((noinline)) long f(long x) {
  __asm__ volatile("" : "+r"(x));
  return 3 * x;
}
__attribute__((tp_never)) static int work(void *unused) {
  for (; !stop; ++calls)
    wrong += f(calls) != 3 * calls;
  return 0;
}


static tprt_selector selector = {.function = "f"};
static tprt_action call = {.handler = onHit}, count = {.kind = TPRT_ACTION_COUNT};
static long failed;
static unsigned long counted;

__attribute__((tp_never)) static void *toggle(void *unused) {
  for (int i = 0; i < 300 || hits < 1000 || !counted; ++i) {
    tprt_probe *probe;
    usable = 1;
    failed += tprt_probe_attach(&selector, i % 4 ? &call : &count, &probe, NULL) != TPRT_STATUS_OK;
    for (long until = calls + 10; calls < until;)
      sched_yield();
    counted += tprt_probe_count(probe);
    failed += tprt_probe_detach(probe, 10000) != TPRT_STATUS_OK;
    usable = 0;
  }
  stop = 1;
  return unused;
}

__attribute__((tp_never)) int main(void) {
  enum { kStack = 65536 };
  char *stack = mmap(NULL, kStack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  int flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM | CLONE_CHILD_CLEARTID;
  if (clone(work, stack + kStack, flags, NULL, NULL, NULL, &running) < 0)
    return perror("clone"), 1;
  pthread_t toggler;
  pthread_create(&toggler, NULL, toggle, NULL);
  while (__atomic_load_n(&running, __ATOMIC_ACQUIRE))
    sched_yield();
  pthread_join(toggler, NULL);
  // The creator's own calls, now that the creator alone uses its TLS.
  tprt_probe *probe;
  failed += tprt_probe_attach(&selector, &count, &probe, NULL) != TPRT_STATUS_OK;
  for (long i = 0; i < 1000; ++i)
    wrong += f(i) != 3 * i;
  failed += tprt_probe_count(probe) != 1000;
  printf("%ld wrong, %ld failed\n%s\n", wrong, failed, wrong || failed ? "not so" : "all right");
}
