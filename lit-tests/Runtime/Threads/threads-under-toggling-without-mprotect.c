// Under PR_SET_MDWE sleds are written through /proc/self/mem, byte by byte, with harmless
// instructions in between. Threads that execute the sleds must compute the same results,
// with sleds of both lengths, at entries, returns and tail calls.
//
// REQUIRES: mdwe
// RUN: %clang -O2 -pthread -fplugin-arg-tp-entry=2,0 -fplugin-arg-tp-exit %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: 2000 toggles, 0 failed, hits in threads, faults 0
#include "tprt/tprt.h"
#include <pthread.h>
#include <stdio.h>
#include <sys/prctl.h>

static int stop, faults;
static unsigned long hits;
static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) {
  __atomic_fetch_add(&hits, 1, __ATOMIC_RELAXED);
}
__attribute__((noinline)) long slot(long x) { return x * 3 + 1; }
__attribute__((noinline, tp_entry(7))) long nop(long x) { return slot(x) - 2; }
__attribute__((noinline)) long tail(long x) { return x % 3 ? slot(x + 1) : nop(x + 1); }

static void *run(void *data) {
  for (long x = 0; !__atomic_load_n(&stop, __ATOMIC_RELAXED); ++x)
    if (slot(x) != x * 3 + 1 || nop(x) != x * 3 - 1 || tail(x) != x * 3 + (x % 3 ? 4 : 2))
      __atomic_fetch_add(&faults, 1, __ATOMIC_RELAXED);
  return data;
}

int main() {
  if (prctl(65 /* PR_SET_MDWE */, 1 /* PR_MDWE_REFUSE_EXEC_GAIN */, 0, 0, 0))
    return perror("PR_SET_MDWE"), 1;
  pthread_t threads[3];
  for (int i = 0; i < 3; ++i)
    pthread_create(&threads[i], NULL, run, NULL);
  int toggles = 0, failed = 0;
  for (; toggles < 2000 || !hits; ++toggles) {
    tprt_selector selector = {.function = toggles & 1 ? "[snt]*" : "slot", .kinds = TPRT_KIND_SET_ALL};
    tprt_action action = {.handler = onHit};
    tprt_probe *probe = NULL;
    failed += tprt_probe_attach(&selector, &action, &probe, NULL) != TPRT_STATUS_OK;
    failed += tprt_probe_detach(probe, -1) != TPRT_STATUS_OK;
    if (failed)
      return puts(tprt_error_string()), 1;
  }
  stop = 1;
  for (int i = 0; i < 3; ++i)
    pthread_join(threads[i], NULL);
  printf("%s toggles, %d failed, hits in threads, faults %d\n", toggles < 2000 ? "few" : "2000", failed, faults);
}
