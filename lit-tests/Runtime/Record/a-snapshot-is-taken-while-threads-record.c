// A snapshot is a separate recording of all events so far. Threads continue recording
// meanwhile, into the ring that is being copied, and nothing in the snapshot is damaged.
//
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 -fplugin-arg-tp-exit %s -o %t %tprt_flags -pthread
// RUN: rm -f %t.rec %t.0 %t.1 %t.2 %t.3 && %t %t.rec %t.0 %t.1 %t.2 %t.3
// RUN: %tpctl report %t.0 2>&1 | FileCheck %s --check-prefix=WHOLE
// RUN: %tpctl report %t.1 2>&1 | FileCheck %s
// RUN: %tpctl report %t.2 2>&1 | FileCheck %s
// RUN: %tpctl report %t.3 2>&1 | FileCheck %s
// RUN: %tpctl report %t.rec 2>&1 | FileCheck %s
//
// WHOLE: 100000 {{.*}}step
// CHECK-NOT: damaged
// CHECK: step
// CHECK: events of {{.*}}, none lost
// CHECK-NOT: {{damaged|claimed|skipped}}
#include "../Inputs/record.h"
#include <pthread.h>

static volatile int ended;
__attribute__((noinline)) void step(void) { __asm__ volatile(""); }
NO_SLEDS void *run(void *unused) {
  while (!ended)
    step();
  return unused;
}

int main(int count, char **arguments) {
  startRecording(arguments[1], TPRT_RECORDING_MODE_NEWEST, 4 << 20);
  recordFunctions("step");
  for (int i = 0; i < 100000; ++i)
    step();
  mustBeOk(tprt_recording_snapshot(arguments[2]));
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i)
    pthread_create(&threads[i], NULL, run, NULL);
  for (int i = 3; i < count; ++i) {
    usleep(50000);
    mustBeOk(tprt_recording_snapshot(arguments[i]));
  }
  ended = 1;
  for (int i = 0; i < 2; ++i)
    pthread_join(threads[i], NULL);
  mustBeOk(tprt_recording_stop());
}
