// If this fails, hits inside libtprt itself are reported as missed: hits of the wrappers that reserve SIGTRAP for traps.
// tpctl count --traps once reported such hits for each thread, because libtprt blocks signals with pthread_sigmask in the
// thread's first hit.
//
// REQUIRES: x86_64-host
// RUN: gcc -O2 -pthread %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: 40 hits, 0 missed
#include "../Inputs/harness.h"
#include <pthread.h>

__attribute__((noipa)) static int counted(int x) { return x + 1; }

static void *call(void *unused) {
  for (int i = 0; i < 10; ++i)
    counted(i);
  return unused;
}

int main(void) {
  tprt_selector selector = {.function = "counted", .kinds = TPRT_KIND_SET_ENTRY, .flags = TPRT_SELECT_CODE | TPRT_SELECT_TRAPS};
  tprt_action action = {.kind = TPRT_ACTION_COUNT};
  tprt_probe *probe = attachSelected(selector, action);
  for (int i = 0; i < 3; ++i) {
    pthread_t thread;
    pthread_create(&thread, NULL, call, NULL);
    pthread_join(thread, NULL);
  }
  call(NULL);
  tprt_stats stats;
  tprt_stats_read(&stats);
  printf("%d hits, %d missed\n", (int)tprt_probe_count(probe), (int)stats.missed);
}
