// An ending thread passes the rest of its block on to the next thread. So a thousand threads
// that make one call each use a few blocks, not a thousand. In the recording, each of them is a
// separate thread with its name.
//
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 -fplugin-arg-tp-exit %s -o %t %tprt_flags -pthread
// RUN: rm -f %t.rec && %t %t.rec
// RUN: %python -c "import os; print(os.path.getsize('%t.rec') <= 20 * 65536)" | FileCheck %s --check-prefix=SIZE
// RUN: %tpctl report %t.rec 2>&1 | FileCheck %s
// RUN: %tpctl report --by=thread --format=csv %t.rec 2>&1 | FileCheck %s --check-prefix=NAMES
//
// SIZE: True
// CHECK: 1000 {{.*}}shortCall
// CHECK: 2000 events of 1000 threads {{.*}}, none lost
// CHECK-NOT: note
// NAMES: short-7
#include "../Inputs/record.h"
#include <pthread.h>
#include <sys/prctl.h>

__attribute__((noinline)) void shortCall(void) { __asm__ volatile(""); }
NO_SLEDS void *run(void *number) {
  char name[16];
  snprintf(name, sizeof name, "short-%d", (int)(long)number);
  prctl(PR_SET_NAME, name);
  shortCall();
  return NULL;
}

int main(int count, char **arguments) {
  (void)count;
  startRecording(arguments[1], TPRT_RECORDING_MODE_ALL, 0);
  recordFunctions("shortCall");
  for (long i = 0; i < 1000; ++i) {
    pthread_t thread;
    pthread_create(&thread, NULL, run, (void *)i);
    pthread_join(thread, NULL);
  }
  mustBeOk(tprt_recording_stop());
}
