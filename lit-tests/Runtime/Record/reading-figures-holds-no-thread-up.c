// tprt_recording_read() reads memory that all threads write. If this fails, a signal handler that
// leaves tprt_recording_read() by siglongjmp prevents a recorded thread from ending.
//
// RUN: %clang -O2 -pthread -fplugin-arg-tp-entry=2,0 -fplugin-arg-tp-exit %s %tprt_flags -o %t
// RUN: %run %t %t.tptrace | FileCheck %s
//
// CHECK: 300 of 300 threads ended
#define _GNU_SOURCE
#include "../Inputs/record.h"
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/time.h>

static sigjmp_buf back;
static volatile int reads, stepped, ended;
__attribute__((noinline)) void step(void) { __asm__ volatile(""); }

NO_SLEDS void onAlarm(int signal) {
  if (!reads)
    return;
  reads = 0;
  siglongjmp(back, 1);
}
NO_SLEDS void *run(void *unused) {
  do {
    step();
    stepped = 1;
  } while (!ended);
  return unused;
}
NO_SLEDS void readUntilLeft(void) {
  tprt_recording_figures figures;
  struct itimerval soon = {{0, 50}, {0, 50}}, never = {{0, 0}, {0, 0}};
  if (!sigsetjmp(back, 1)) {
    reads = 1;
    setitimer(ITIMER_REAL, &soon, NULL);
    for (;;)
      tprt_recording_read(&figures);
  }
  setitimer(ITIMER_REAL, &never, NULL);
}

__attribute__((tp_never)) int main(int count, char **arguments) {
  startRecording(arguments[1], TPRT_RECORDING_MODE_NEWEST, 8 << 20);
  recordFunctions("step");
  struct sigaction action = {.sa_handler = onAlarm};
  sigaction(SIGALRM, &action, NULL);
  sigset_t alarm;
  sigemptyset(&alarm);
  sigaddset(&alarm, SIGALRM);
  int number = 0;
  for (; number < 300; ++number) {
    pthread_t thread;
    stepped = ended = 0;
    pthread_sigmask(SIG_BLOCK, &alarm, NULL);
    pthread_create(&thread, NULL, run, NULL);
    pthread_sigmask(SIG_UNBLOCK, &alarm, NULL);
    while (!stepped)
      usleep(10);
    readUntilLeft();
    ended = 1;
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 20;
    if (pthread_timedjoin_np(thread, NULL, &until))
      break;
  }
  printf("%d of 300 threads ended\n", number);
  fflush(stdout);
  _exit(0);
}
