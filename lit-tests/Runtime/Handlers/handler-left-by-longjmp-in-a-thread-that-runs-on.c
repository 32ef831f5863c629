// A handler is left by longjmp, and its thread continues without a further hit,
// because the probe is detached. If this fails, detach waits for a handler that no
// thread is in.
//
// RUN: %clang -O2 -pthread -fplugin-arg-tp-entry=2,0 %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
// RUN: %clang -O2 -pthread -fplugin-arg-tp-entry=2,0 -fplugin-arg-tp-exit -DAT=TPRT_KIND_SET_EXIT %s %tprt_flags -o %t.exits
// RUN: %t.exits | FileCheck %s
//
// CHECK: it was done
#include "../Inputs/harness.h"
#include <pthread.h>
#include <setjmp.h>
#include <string.h>

#ifndef AT
#define AT TPRT_KIND_SET_ENTRY
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
  tprt_probe *probe = attach("f", AT, (tprt_action){.handler = onHit});
  pthread_t thread;
  pthread_create(&thread, NULL, run, NULL);
  waitUntil(&ready);
  puts(detach(probe, 5000));
  stop = 1;
  return pthread_join(thread, NULL);
}
