// As detach-waits-for-its-own-handlers-alone.c, but each handler is the only one at its
// site, so no dispatcher records which probe's handler runs. The test covers hits with
// and without vector registers, at entries, exits and tail calls. Detach must not wait
// for a counting probe that is attached and detached at the site meanwhile, either.
//
// RUN: %clang -O2 -pthread -fplugin-arg-tp-entry=2,0 -fplugin-arg-tp-exit %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK-COUNT-6: elsewhere 0, the other event 0, counting 0, its own 7, afterwards 0
#include "../Inputs/harness.h"
#include <pthread.h>
#include <unistd.h>

static volatile int inside, leave;
__attribute__((tp_never)) static void stay(const tprt_event *event, const tprt_regs *regs, void *data) {
  for (inside = 1; !leave;)
    usleep(1000);
}
__attribute__((tp_never)) static void stayGeneral(const tprt_event *event, const tprt_regs *regs, void *data) {
  for (inside = 1; !leave;)
    ;
}
__attribute__((noinline)) int f(int x) {
  __asm__ volatile("" : "+r"(x));
  return x + 1;
}
__attribute__((noinline)) int tail(int x) {
  __asm__ volatile("" : "+r"(x));
  return f(x + 1);
}
__attribute__((noinline)) void g(void) { __asm__ volatile(""); }

__attribute__((tp_never)) static void *run(void *unused) {
  f(1); // without a probe there in one case
  tail(1);
  return unused;
}

__attribute__((tp_never)) static void with(const char *name, unsigned events, tprt_action stays) {
  tprt_action passes = {.handler = ignoreHit}, counts = {.kind = TPRT_ACTION_COUNT};
  inside = leave = 0;
  tprt_probe *elsewhere = attach("g", events, passes), *own = attach(name, events, stays),
             *other = attach(name, TPRT_KIND_SET_ALL & ~events, passes);
  pthread_t thread;
  pthread_create(&thread, NULL, run, NULL);
  waitUntil(&inside);
  printf("elsewhere %d", tprt_probe_detach(elsewhere, 2000));
  printf(", the other event %d", tprt_probe_detach(other, 2000));
  printf(", counting %d", tprt_probe_detach(attach(name, events, counts), 2000));
  printf(", its own %d", tprt_probe_detach(own, 100));
  leave = 1;
  printf(", afterwards %d\n", tprt_probe_detach(own, -1));
  pthread_join(thread, NULL);
}

__attribute__((tp_never)) int main(void) {
  tprt_action whole = {.handler = stay}, general = {.handler = stayGeneral, .flags = TPRT_HANDLER_GENERAL_REGS_ONLY};
  with("f", TPRT_KIND_SET_ENTRY, whole);
  with("f", TPRT_KIND_SET_ENTRY, general);
  with("f", TPRT_KIND_SET_EXIT, whole);
  with("f", TPRT_KIND_SET_EXIT, general);
  with("tail", TPRT_KIND_SET_EXIT, whole);
  with("tail", TPRT_KIND_SET_EXIT, general);
}
