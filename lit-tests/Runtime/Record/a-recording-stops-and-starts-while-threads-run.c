// A recording can be stopped and another begun, a hundred times, while threads run through the
// functions that are recorded. Each file is whole and closed, and what a thread records goes to
// the recording that is under way.
//
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 -fplugin-arg-tp-exit %s -o %t %tprt_flags -pthread
// RUN: rm -f %t.rec %t.last && %t %t.rec %t.last | FileCheck %s --check-prefix=SAID
// RUN: %tpctl report %t.rec 2>&1 | FileCheck %s
// RUN: %tpctl report %t.last 2>&1 | FileCheck %s --check-prefix=LAST
//
// SAID: 100 recordings, nothing lost
// CHECK: step
// CHECK: none lost
// CHECK-NOT: {{damaged|claimed|killed}}
//
// A thread that recorded into the file before is in the last one with all of its calls, also
// where another thread was the first to come to the function.
// LAST: 5000 {{.*}}lastStep
// LAST: none lost
#include "../Inputs/record.h"
#include <pthread.h>

static volatile int ended;
__attribute__((noinline)) void step(void) { __asm__ volatile(""); }
__attribute__((noinline)) void lastStep(void) { __asm__ volatile(""); }
NO_SLEDS void *stepLast(void *unused) {
  lastStep();
  return unused;
}
NO_SLEDS void *run(void *unused) {
  while (!ended)
    step();
  return unused;
}

int main(int count, char **arguments) {
  (void)count;
  pthread_t threads[2];
  int lost = 0;
  for (int i = 0; i < 2; ++i)
    pthread_create(&threads[i], NULL, run, NULL);
  for (int i = 0; i < 100; ++i) {
    startRecording(arguments[1], (tprt_recording_mode)(i % 2), 8 << 20);
    recordFunctions("*tep");
    tprt_recording_figures figures;
    do { // On a busy machine the threads may not run for a while.
      usleep(2000);
      tprt_recording_read(&figures);
    } while (figures.words < 100);
    lastStep();
    tprt_recording_read(&figures);
    lost += i % 2 == TPRT_RECORDING_MODE_NEWEST && figures.lost;
    mustBeOk(tprt_recording_stop());
  }
  printf("100 recordings, %s lost\n", lost ? "something" : "nothing");
  ended = 1;
  for (int i = 0; i < 2; ++i)
    pthread_join(threads[i], NULL);
  startRecording(arguments[2], TPRT_RECORDING_MODE_ALL, 0);
  recordFunctions("lastStep");
  pthread_create(&threads[0], NULL, stepLast, NULL);
  pthread_join(threads[0], NULL);
  for (int i = 1; i < 5000; ++i)
    lastStep();
  mustBeOk(tprt_recording_stop());
}
