// Two coroutines of one thread are suspended in their handlers, and the first one's
// handler ends first. If this fails, detach does not wait for the second handler.
//
// RUN: %clang -O2 -pthread -fplugin-arg-tp-entry=2,0 %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: usual: PENDING while the second is inside, then OK; the first: OK
// CHECK-NEXT: general registers: PENDING while the second is inside, then OK; the first: OK
// CHECK-NEXT: timed: PENDING while the second is inside, then OK; the first: OK
#include "tprt/tprt.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>
#include <unistd.h>

static ucontext_t back, coroutines[2];
static volatile int turn; // of the thread, or of its detacher
__attribute__((noinline)) void f(void) { __asm__ volatile(""); }
__attribute__((noinline)) void g(void) { __asm__ volatile(""); }
__attribute__((tp_never)) static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) {
  swapcontext(data, &back);
}
__attribute__((tp_never)) static void runF(void) {
  f();
  swapcontext(&coroutines[0], &back);
}
__attribute__((tp_never)) static void runG(void) {
  g();
  swapcontext(&coroutines[1], &back);
}
__attribute__((tp_never)) static void *run(void *stacks) {
  enum { kStack = 1 << 18 };
  for (int i = 0; i < 2; ++i) {
    getcontext(&coroutines[i]);
    coroutines[i].uc_stack.ss_sp = (char *)stacks + i * kStack;
    coroutines[i].uc_stack.ss_size = kStack;
    makecontext(&coroutines[i], i ? runG : runF, 0);
    swapcontext(&back, &coroutines[i]);
  }
  swapcontext(&back, &coroutines[0]); // ends
  for (turn = 1; turn == 1;)
    usleep(1000);
  swapcontext(&back, &coroutines[1]); // ends
  return NULL;
}
__attribute__((tp_never)) static const char *detach(tprt_probe *probe, int timeout) {
  int status = tprt_probe_detach(probe, timeout);
  return status == TPRT_STATUS_OK ? "OK" : status == TPRT_STATUS_PENDING ? "PENDING" : tprt_error_string();
}
__attribute__((tp_never)) static void with(const char *name, uint32_t flags) {
  static char stacks[1 << 19];
  tprt_probe *probes[2];
  for (int i = 0; i < 2; ++i) {
    tprt_selector selector = {.function = i ? "g" : "f"};
    tprt_action action = {.handler = onHit, .data = &coroutines[i], .flags = flags};
    if (tprt_probe_attach(&selector, &action, &probes[i], NULL))
      exit(puts(tprt_error_string()));
  }
  pthread_t thread;
  turn = 0;
  pthread_create(&thread, NULL, run, stacks);
  while (!turn)
    usleep(1000);
  printf("%s: %s while the second is inside, ", name, detach(probes[1], 100));
  turn = 2;
  pthread_join(thread, NULL);
  printf("then %s; ", detach(probes[1], 5000));
  printf("the first: %s\n", detach(probes[0], 5000));
}

__attribute__((tp_never)) int main(void) {
  with("usual", 0);
  with("general registers", TPRT_HANDLER_GENERAL_REGS_ONLY);
  with("timed", TPRT_HANDLER_TIME);
}
