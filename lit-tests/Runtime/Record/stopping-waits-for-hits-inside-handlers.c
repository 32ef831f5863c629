// A handler of another probe calls a recorded function. If this fails,
// tprt_recording_stop() frees memory that this thread still reads.
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 -fplugin-arg-tp-exit %s -o %t %tprt_flags -pthread
// RUN: rm -f %t.tp && %t %t.tp | FileCheck %s
#include "tprt/record.h"

#include <pthread.h>
#include <stdio.h>
#include <time.h>

static int over;
static volatile int sum;

__attribute__((noinline)) static void inner(int x) { sum = x; }
__attribute__((noinline)) static void outer(int x) { sum = x; }

static void handler(const tprt_event *event, const tprt_regs *regs, void *data) {
  (void)event, (void)regs, (void)data;
  for (int i = 0; i < 20; ++i)
    inner(i);
}

static void *work(void *unused) {
  while (!__atomic_load_n(&over, __ATOMIC_RELAXED))
    outer(1);
  return unused;
}

int main(int argc, char **argv) {
  (void)argc;
  tprt_selector which = {.function = "outer"};
  tprt_action action = {.handler = handler};
  tprt_probe *probe;
  if (tprt_probe_attach(&which, &action, &probe, NULL) != TPRT_STATUS_OK)
    puts(tprt_error_string());
  pthread_t threads[4];
  for (int i = 0; i < 4; ++i)
    pthread_create(&threads[i], NULL, work, NULL);
  tprt_recording_options options = {.file = argv[1]};
  tprt_selector all = {.function = "*er", .kinds = TPRT_KIND_SET_ALL};
  time_t end = time(NULL) + 4;
  int rounds = 0, failures = 0;
  for (; rounds < 500 && time(NULL) < end; ++rounds) {
    failures += tprt_recording_start(&options) != TPRT_STATUS_OK;
    failures += tprt_recording_add(&all, NULL, NULL) != TPRT_STATUS_OK;
    failures += tprt_recording_stop() != TPRT_STATUS_OK;
  }
  __atomic_store_n(&over, 1, __ATOMIC_RELAXED);
  for (int i = 0; i < 4; ++i)
    pthread_join(threads[i], NULL);
  // CHECK: 0 failures, stopped: 1
  printf("%d failures, stopped: %d\n", failures, rounds > 0);
  fprintf(stderr, "%d rounds\n", rounds);
}
