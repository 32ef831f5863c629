// A thread may lose its processor between claiming the place of an event and storing the event
// there. A stop waits a moment for such threads, so the event is in the file. Here a signal
// handler keeps the thread at that instruction while the recording is stopped.
//
// REQUIRES: x86_64-host
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 -fplugin-arg-tp-exit %s -o %t %tprt_flags -pthread
// RUN: rm -f %t.rec && %t %t.rec | FileCheck %s --check-prefix=HELD
// RUN: %tpctl report %t.rec 2>&1 | FileCheck %s
//
// HELD: held where it has claimed a word
// CHECK-NOT: never stored
// CHECK: step
// CHECK: none lost
#define _GNU_SOURCE
#include "../Inputs/record.h"
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <ucontext.h>

static volatile int ended, held, stopping;
__attribute__((noinline)) void step(void) { __asm__ volatile(""); }
NO_SLEDS void *run(void *unused) {
  while (!ended)
    step();
  return unused;
}

// The thread runs one instruction at a time from here on.
enum { kTrapFlag = 0x100 };
NO_SLEDS void beginToStep(int number, siginfo_t *info, void *context) {
  (void)number, (void)info;
  ((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] |= kTrapFlag;
}

NO_SLEDS void hold(int number, siginfo_t *info, void *context) {
  (void)number, (void)info;
  greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
  static const unsigned char store[] = {0x4c, 0x89, 0x18}; // movq %r11, (%rax)
  if (memcmp((const void *)registers[REG_RIP], store, sizeof store) != 0)
    return;
  registers[REG_EFL] &= ~kTrapFlag;
  held = 1;
  while (!stopping)
    usleep(1000);
  usleep(20000);
}

int main(int count, char **arguments) {
  (void)count;
  startRecording(arguments[1], TPRT_RECORDING_MODE_NEWEST, 0);
  recordFunctions("step");
  struct sigaction action = {.sa_sigaction = beginToStep, .sa_flags = SA_SIGINFO}, trap;
  sigaction(SIGUSR1, &action, NULL);
  action.sa_sigaction = hold;
  sigaction(SIGTRAP, &action, &trap);
  pthread_t thread;
  pthread_create(&thread, NULL, run, NULL);
  tprt_recording_figures figures;
  do { // The first hits may block SIGTRAP, and would be stepped through for long.
    usleep(1000);
    tprt_recording_read(&figures);
  } while (figures.words < 100);
  pthread_kill(thread, SIGUSR1);
  while (!held)
    usleep(1000);
  sigaction(SIGTRAP, &trap, NULL);
  stopping = 1;
  mustBeOk(tprt_recording_stop());
  puts("held where it has claimed a word");
  ended = 1;
  pthread_join(thread, NULL);
}
