// A handler does not return until another probe is detached. The other probe has a
// handler at another site, or counts, or has a handler at the same site that was attached
// before or after. If this fails, detach waits for a handler that waits for the detach.
//
// RUN: %clang -O2 -pthread -fplugin-arg-tp-entry=2,0 -fplugin-arg-tp-exit %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: entries: elsewhere 0, counting 0, first at the site 0, last at the site 0, the other event 0, its own 7
// CHECK-NEXT: afterwards: 0
// CHECK-NEXT: exits: elsewhere 0, counting 0, first at the site 0, last at the site 0, the other event 0, its own 7
// CHECK-NEXT: afterwards: 0
#include "../Inputs/harness.h"
#include <pthread.h>
#include <unistd.h>

static volatile int inside, leave;
__attribute__((tp_never)) static void stay(const tprt_event *event, const tprt_regs *regs, void *data) {
  for (inside = 1; !leave;)
    usleep(1000);
}
__attribute__((noinline)) void f(void) { __asm__ volatile(""); }
__attribute__((noinline)) void g(void) { __asm__ volatile(""); }

__attribute__((tp_never)) static void *run(void *unused) {
  f();
  return unused;
}

__attribute__((tp_never)) static void with(const char *name, unsigned events) {
  tprt_action passes = {.handler = ignoreHit}, stays = {.handler = stay}, counts = {.kind = TPRT_ACTION_COUNT};
  inside = leave = 0;
  tprt_probe *elsewhere = attach("g", events, passes), *counting = attach("f", events, counts);
  tprt_probe *first = attach("f", events, passes), *own = attach("f", events, stays);
  tprt_probe *last = attach("f", events, passes);
  tprt_probe *other = attach("f", TPRT_KIND_SET_ALL & ~events, passes);
  pthread_t thread;
  pthread_create(&thread, NULL, run, NULL);
  waitUntil(&inside);
  printf("%s: elsewhere %d", name, tprt_probe_detach(elsewhere, 2000));
  printf(", counting %d", tprt_probe_detach(counting, 2000));
  printf(", first at the site %d", tprt_probe_detach(first, 2000));
  printf(", last at the site %d", tprt_probe_detach(last, 2000));
  printf(", the other event %d", tprt_probe_detach(other, 2000));
  printf(", its own %d\n", tprt_probe_detach(own, 100));
  leave = 1;
  printf("afterwards: %d\n", tprt_probe_detach(own, -1));
  pthread_join(thread, NULL);
}

__attribute__((tp_never)) int main(void) {
  with("entries", TPRT_KIND_SET_ENTRY);
  with("exits", TPRT_KIND_SET_EXIT);
}
