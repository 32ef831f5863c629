// If this fails, a handler that asks how deep its thread is in calls gets
// another thread's depth, or one that a longjmp has left too high.
//
// RUN: %clang -O2 -pthread -fplugin-arg-tp-entry=2,0 -fplugin-arg-tp-exit %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
#include "tprt/duration.h"
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>

static jmp_buf back;
static tprt_duration_probe *durations;
__attribute__((tp_never)) static void onCall(const tprt_duration *d, void *data) {}
__attribute__((tp_never)) static void onHit(const tprt_event *e, const tprt_regs *r, void *data) {
  printf("depth %u%s\n", tprt_duration_probe_depth(durations), e->kind == TPRT_KIND_ENTRY ? "" : " after");
}

__attribute__((noinline)) void leaf(int jump) {
  __asm__ volatile("");
  if (jump)
    longjmp(back, 1);
}
__attribute__((noinline)) int nest(int levels, int jump) {
  if (levels)
    nest(levels - 1, jump);
  else
    leaf(jump);
  __asm__ volatile("");
  return levels;
}
__attribute__((tp_never)) static void *another(void *unused) {
  leaf(0);
  return unused;
}

__attribute__((tp_never)) int main(void) {
  tprt_selector leafs = {.function = "leaf", .kinds = TPRT_KIND_SET_ALL};
  tprt_action action = {.handler = onHit};
  tprt_probe *probe;
  setvbuf(stdout, NULL, _IONBF, 0);
  if (tprt_duration_probe_attach(NULL, onCall, NULL, 0, &durations, NULL) ||
      tprt_probe_attach(&leafs, &action, &probe, NULL))
    return puts(tprt_error_string());
  // CHECK: depth 4
  // CHECK-NEXT: depth 3 after
  nest(2, 0);
  // CHECK-NEXT: depth 4
  if (!setjmp(back))
    nest(2, 1);
  // CHECK-NEXT: depth 1
  // CHECK-NEXT: depth 0 after
  leaf(0);
  // CHECK-NEXT: depth 1
  // CHECK-NEXT: depth 0 after
  pthread_t thread;
  pthread_create(&thread, NULL, another, NULL);
  pthread_join(thread, NULL);
  tprt_duration_probe_detach(durations, -1);
  // CHECK-NEXT: of none 0
  printf("of none %u\n", tprt_duration_probe_depth(NULL));
}
