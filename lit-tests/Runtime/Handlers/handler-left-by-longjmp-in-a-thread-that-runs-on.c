// A handler is left by longjmp, and its thread runs on without any further hit, as the
// probe is detached. If this fails detach waits for a handler that nobody is in.
//
// RUN: %clang -O2 -pthread -fplugin-arg-tp-entry=2,0 %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
// RUN: %clang -O2 -pthread -fplugin-arg-tp-entry=2,0 -fplugin-arg-tp-exit -DAT=TPRT_EVENTS_EXIT %s %tprt_flags -o %t.exits
// RUN: %t.exits | FileCheck %s
//
// CHECK: it was done
#include "tprt/tprt.h"
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#ifndef AT
#define AT TPRT_EVENTS_ENTRY
#endif
static jmp_buf back;
static volatile int ready, stop;
__attribute__((tp_never)) static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) {
  longjmp(back, 1);
}
__attribute__((noinline)) void f(void) { __asm__ volatile(""); }
__attribute__((noinline, tp_never)) static void work(char byte) {
  char room[512];
  memset(room, byte, sizeof room);
  __asm__ volatile("" ::"r"(room) : "memory");
}
__attribute__((tp_never)) static void *run(void *unused) {
  if (!setjmp(back))
    f();
  for (ready = 1; !stop;)
    work(1);
  return unused;
}

__attribute__((tp_never)) int main(void) {
  tprt_selector selector = {.function = "f", .events = AT};
  tprt_action action = {.handler = onHit};
  tprt_probe *probe;
  tprt_probe_attach(&selector, &action, &probe, NULL);
  pthread_t thread;
  pthread_create(&thread, NULL, run, NULL);
  while (!ready)
    ;
  puts(tprt_status_string(tprt_probe_detach(probe, 5000)));
  stop = 1;
  return pthread_join(thread, NULL);
}
