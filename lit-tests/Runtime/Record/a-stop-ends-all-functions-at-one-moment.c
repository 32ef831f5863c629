// A stop takes sites off one after another, but ends the recording of all functions at one
// moment: what is called in turn is in the file equally often, though each function has a
// selector of its own. One event of a thread may still be under way.
//
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 -fplugin-arg-tp-exit %s -o %t %tprt_flags -pthread
// RUN: rm -f %t.rec && %t %t.rec
// RUN: %tpctl report --format=csv %t.rec > %t.csv
// RUN: %python -c "import csv; n = [int(r['calls']) for r in csv.DictReader(open('%t.csv'))]; print(len(n), 'functions,', 'equally often' if max(n) - min(n) <= 2 else n)" | FileCheck %s
//
// CHECK: 8 functions, equally often
#include "../Inputs/record.h"
#include <pthread.h>

static volatile int ended;
#define FUNCTION(n) __attribute__((noinline)) void turn##n(void) { __asm__ volatile(""); }
FUNCTION(0) FUNCTION(1) FUNCTION(2) FUNCTION(3) FUNCTION(4) FUNCTION(5) FUNCTION(6) FUNCTION(7)

NO_SLEDS void *run(void *unused) {
  while (!ended) {
    turn0(), turn1(), turn2(), turn3();
    turn4(), turn5(), turn6(), turn7();
  }
  return unused;
}

int main(int count, char **arguments) {
  (void)count;
  startRecording(arguments[1], TPRT_RECORDING_MODE_ALL, 0);
  for (int i = 0; i < 8; ++i) {
    char name[] = {'t', 'u', 'r', 'n', (char)('0' + i), 0};
    recordFunctions(name);
  }
  pthread_t thread;
  pthread_create(&thread, NULL, run, NULL);
  tprt_recording_figures figures;
  do {
    usleep(1000);
    tprt_recording_read(&figures);
  } while (figures.words < 10000);
  mustBeOk(tprt_recording_stop());
  ended = 1;
  pthread_join(thread, NULL);
}
