// A coroutine is suspended in the first of its function's two handlers, and continues in
// another thread, which was never hit. If this fails, that thread has no block, so the end of the
// hit is stored through a null pointer. Or errno or the critical section belongs to the first
// thread.
//
// RUN: %clang -O2 -pthread -fplugin-arg-tp-entry=2,0 %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: one handler: errno 7 there and 5 here, a hit here: 1, detach OK
// CHECK-NEXT: general registers: errno 0 there and 5 here, a hit here: 1, detach OK
// CHECK-NEXT: two handlers: errno 7 there and 5 here, a hit here: 1, detach PENDING, then OK, OK
#include "tprt/tprt.h"
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>
#include <unistd.h>

static ucontext_t back, coroutine;
static volatile int suspend, errnoThere, hits, inSecond, leaveSecond;
__attribute__((noinline)) void f(void) { __asm__ volatile(""); }
// The compiler assumes that errno's address is the same throughout a function.
__attribute__((tp_never, noinline)) static void setErrno(int value) { errno = value; }
__attribute__((tp_never, noinline)) static int getErrno(void) { return errno; }
__attribute__((tp_never)) static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) {
  ++hits;
  if (!suspend)
    return;
  suspend = 0;
  swapcontext(&coroutine, &back);
  if (!data)
    setErrno(3);
}
__attribute__((tp_never)) static void onHitToo(const tprt_event *event, const tprt_regs *regs, void *data) {
  for (++hits, inSecond = 1; !leaveSecond;)
    usleep(1000);
}
__attribute__((tp_never)) static void run(void) {
  setErrno(7);
  f();
  errnoThere = getErrno();
  swapcontext(&coroutine, &back);
}
__attribute__((tp_never)) static void *goOn(void *unused) {
  swapcontext(&back, &coroutine);
  return unused;
}
__attribute__((tp_never)) static const char *detach(tprt_probe *probe, int timeout) {
  int status = tprt_probe_detach(probe, timeout);
  return status == TPRT_STATUS_OK ? "OK" : status == TPRT_STATUS_PENDING ? "PENDING" : tprt_error_string();
}
__attribute__((tp_never)) static void with(const char *name, uint32_t flags, int two) {
  static char stack[1 << 18];
  tprt_probe *probe, *second;
  tprt_selector selector = {.function = "f"};
  tprt_action action = {.handler = onHit, .data = flags ? &back : NULL, .flags = flags}, other = {.handler = onHitToo};
  if (tprt_probe_attach(&selector, &action, &probe, NULL) ||
      (two && tprt_probe_attach(&selector, &other, &second, NULL)))
    exit(puts(tprt_error_string()));
  leaveSecond = 1, suspend = 0;
  f(); // a thread's first hit is special
  inSecond = 0, leaveSecond = !two, suspend = 1;
  getcontext(&coroutine);
  coroutine.uc_stack.ss_sp = stack;
  coroutine.uc_stack.ss_size = sizeof stack;
  makecontext(&coroutine, run, 0);
  swapcontext(&back, &coroutine);
  setErrno(5);
  pthread_t thread;
  pthread_create(&thread, NULL, goOn, NULL);
  const char *early = NULL;
  if (two) {
    while (!inSecond)
      usleep(1000);
    early = detach(second, 100);
    setErrno(5);
    leaveSecond = 1;
  }
  pthread_join(thread, NULL);
  int errnoHere = getErrno();
  hits = 0;
  f();
  printf("%s: errno %d there and %d here, a hit here: %d, detach ", name, errnoThere, errnoHere, hits);
  if (two)
    printf("%s, then %s, ", early, detach(second, 5000));
  printf("%s\n", detach(probe, 5000));
}

__attribute__((tp_never)) int main(void) {
  with("one handler", 0, 0);
  with("general registers", TPRT_HANDLER_GENERAL_REGS_ONLY, 0);
  with("two handlers", 0, 1);
}
