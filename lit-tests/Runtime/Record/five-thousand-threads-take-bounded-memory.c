// A program may have thousands of threads, a hundred of them at a time. The memory for
// recording depends only on the number of living threads: blocks of ended threads are reused.
// 5,000 threads leave a file of a few MB, the program's memory stops growing, and each call of
// each thread is recorded.
//
// REQUIRES: x86_64-host
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 -fplugin-arg-tp-exit %s -o %t %tprt_flags -pthread
// RUN: rm -f %t.rec && %t %t.rec 100 all | FileCheck %s --check-prefix=MEMORY
// RUN: %python -c "import os; print(os.path.getsize('%t.rec') <= 150 * 65536)" | FileCheck %s --check-prefix=SIZE
// RUN: %tpctl report %t.rec 2>&1 | FileCheck %s
//
// MEMORY: the last 4,000 threads took at most 1 MB
// SIZE: True
// CHECK: 50000 {{.*}}shortCall
// CHECK: 100000 events of 5000 threads {{.*}}, none lost
// CHECK-NOT: note
//
// If all 5,000 threads run at the same time, each thread has one block.
// RUN: rm -f %t.rec && %t %t.rec 5000 all
// RUN: %python -c "import os; print(os.path.getsize('%t.rec') <= 5040 * 65536)" | FileCheck %s --check-prefix=SIZE
// RUN: %tpctl report %t.rec 2>&1 | FileCheck %s
//
// In a ring of 16 MB most threads have no block. Their lost events are counted.
// RUN: rm -f %t.rec && %t %t.rec 5000 newest
// RUN: %python -c "import os; print(os.path.getsize('%t.rec') <= 258 * 65536)" | FileCheck %s --check-prefix=SIZE
// RUN: %tpctl report --format=json %t.rec 2>/dev/null | %python -c "import json, sys; r = json.load(sys.stdin); print(r['events'] + r['lost'])" | FileCheck %s --check-prefix=RING
// RUN: rm -f %t.rec
//
// RING: {{^}}100000{{$}}
#include "../Inputs/record.h"
#include <pthread.h>
#include <string.h>

enum { kThreads = 5000, kCalls = 10, kSettled = 1000, kMostGrowthKb = 1024 };
static pthread_barrier_t all;
__attribute__((noinline)) void shortCall(void) { __asm__ volatile(""); }
NO_SLEDS void *run(void *unused) {
  for (int i = 0; i < kCalls; ++i)
    shortCall();
  pthread_barrier_wait(&all);
  return unused;
}

// The process's private memory, without the mapped file.
NO_SLEDS long ownKb(void) {
  char line[128];
  long kb = 0;
  FILE *status = fopen("/proc/self/status", "r");
  while (fgets(line, sizeof line, status))
    sscanf(line, "RssAnon: %ld", &kb);
  fclose(status);
  return kb;
}

int main(int count, char **arguments) {
  (void)count;
  static pthread_t threads[kThreads];
  int atOnce = atoi(arguments[2]);
  pthread_attr_t small;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, 64 << 10);
  pthread_barrier_init(&all, NULL, (unsigned)atOnce);
  if (strcmp(arguments[3], "all") == 0)
    startRecording(arguments[1], TPRT_RECORDING_MODE_ALL, 0);
  else
    startRecording(arguments[1], TPRT_RECORDING_MODE_NEWEST, 16 << 20);
  recordFunctions("shortCall");
  long early = 0;
  for (int begun = 0; begun < kThreads; begun += atOnce) {
    if (begun == kSettled)
      early = ownKb();
    for (int i = 0; i < atOnce; ++i)
      if (pthread_create(&threads[i], &small, run, NULL) != 0)
        return 1;
    for (int i = 0; i < atOnce; ++i)
      pthread_join(threads[i], NULL);
  }
  long grown = ownKb() - early;
  if (early && grown > kMostGrowthKb)
    printf("the last 4,000 threads took %ld KB\n", grown);
  else
    printf("the last 4,000 threads took at most 1 MB\n");
  mustBeOk(tprt_recording_stop());
}
