// A handler is suspended: it switches to another coroutine, on a stack above or below, and
// other functions are hit there. If this fails, these hits make detach forget the suspended
// handler. (Hits on a stack below count as hits inside the handler.)
//
// RUN: %clang -O2 -pthread -fplugin-arg-tp-entry=2,0 %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: above: 10 of 10 hits, while suspended: detached, but a thread is still inside the handler
// CHECK-NEXT: the handler ran to its end: it was done
// CHECK-NEXT: below: 0 of 10 hits, while suspended: detached, but a thread is still inside the handler
// CHECK-NEXT: the handler ran to its end: it was done
#include "../Inputs/harness.h"
#include <pthread.h>
#include <stdlib.h>
#include <ucontext.h>
#include <unistd.h>

static ucontext_t one, other, back;
static volatile int suspended, hits, detached;
static tprt_probe *probe;
__attribute__((tp_never)) static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) {
  if (suspended) {
    ++hits;
    return;
  }
  suspended = 1;
  swapcontext(&one, &other);
}
__attribute__((noinline)) void f(void) { __asm__ volatile(""); }
__attribute__((noinline)) void g(void) { __asm__ volatile(""); }
__attribute__((tp_never)) static void runOne(void) { f(); }
__attribute__((tp_never)) static void runOther(void) {
  for (int i = 0; i < 10; ++i)
    g();
  for (suspended = 2; !detached;)
    usleep(1000);
  setcontext(&one);
}
__attribute__((tp_never)) static void *detachMeanwhile(void *unused) {
  while (suspended != 2)
    usleep(1000);
  const char *status = detach(probe, 300);
  printf("%d of 10 hits, while suspended: %s\n", hits, status);
  detached = 1;
  return unused;
}

__attribute__((tp_never)) static void with(const char *name, int above) {
  enum { kStack = 1 << 18 };
  char *stacks = calloc(2, kStack);
  suspended = hits = detached = 0;
  probe = attachHandler("[fg]", onHit, NULL);
  getcontext(&one), getcontext(&other);
  one.uc_stack.ss_sp = stacks + (above ? 0 : kStack);
  other.uc_stack.ss_sp = stacks + (above ? kStack : 0);
  one.uc_stack.ss_size = other.uc_stack.ss_size = kStack;
  one.uc_link = other.uc_link = &back;
  makecontext(&one, runOne, 0);
  makecontext(&other, runOther, 0);
  printf("%s: ", name);
  pthread_t thread;
  pthread_create(&thread, NULL, detachMeanwhile, NULL);
  swapcontext(&back, &one);
  pthread_join(thread, NULL);
  free(stacks);
  printf("the handler ran to its end: %s\n", detach(probe, 5000));
}

__attribute__((tp_never)) int main(void) {
  with("above", 1);
  with("below", 0);
}
