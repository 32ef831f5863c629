// In mode ALL, the file grows with the recording: two threads that only call a function
// fill hundreds of blocks, and every call is in the file.
//
// REQUIRES: tpctl
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 -fplugin-arg-tp-exit %s -o %t %tprt_flags -pthread
// RUN: rm -f %t.rec && %t %t.rec | FileCheck %s --check-prefix=FIGURES
// RUN: %tpctl report %t.rec 2>&1 | FileCheck %s
//
// FIGURES: 2400000 words at least, 0 lost, not full
// CHECK: 1200000 {{.*}}step
// CHECK: events of 2 threads in {{.*}}, none lost
// CHECK-NOT: note
#include "../Inputs/record.h"
#include <pthread.h>

enum { kCalls = 600000 };
__attribute__((noinline)) void step(void) { __asm__ volatile(""); }
NO_SLEDS void *run(void *unused) {
  (void)unused;
  for (int i = 0; i < kCalls; ++i)
    step();
  return NULL;
}

int main(int count, char **arguments) {
  (void)count;
  startRecording(arguments[1], TPRT_RECORDING_MODE_ALL, 0);
  recordFunctions("step");
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i)
    pthread_create(&threads[i], NULL, run, NULL);
  for (int i = 0; i < 2; ++i)
    pthread_join(threads[i], NULL);
  tprt_recording_figures figures;
  tprt_recording_read(&figures);
  printf("%d words %s, %d lost, %s\n", 4 * kCalls, figures.words >= 4 * kCalls ? "at least" : "are missing", (int)figures.lost,
         figures.full ? "full" : "not full");
  mustBeOk(tprt_recording_stop());
}
