// If a child of fork() is made while another thread stops the recording, no thread in the child
// continues the stop. The child can stop the recording itself, and begin another one. The
// program forks each time that the stop has given the runtime's lock back: it has a
// pthread_setcancelstate of its own, which the runtime calls then.
//
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 -fplugin-arg-tp-exit %s -o %t %tprt_interposed_flags -ldl -rdynamic
// RUN: rm -f %t.rec* && %t %t.rec | FileCheck %s
//
// CHECK: forked {{[0-9]+}} times, children that failed: 0
#define _GNU_SOURCE
#include "../Inputs/record.h"
#include <dlfcn.h>
#include <pthread.h>
#include <sys/wait.h>

__attribute__((noinline)) void one(void) { __asm__ volatile(""); }
__attribute__((noinline)) void two(void) { __asm__ volatile(""); }

// An emulator of AArch64 needs up to ten seconds for a child, which reserves and returns gigabytes of
// addresses. So only each fifth chance to fork is used there.
#ifdef __x86_64__
enum { EVERY = 1 };
#else
enum { EVERY = 5 };
#endif

static const char *file;
static int chances, forks, failures, armed;

NO_SLEDS void child(void) {
  one();
  tprt_status status = tprt_recording_stop();
  // The parent's stop may have ended it.
  if (status != TPRT_STATUS_OK && status != TPRT_STATUS_UNSUPPORTED)
    mustBeOk(status);
  char own[4096];
  snprintf(own, sizeof own, "%s.%d", file, forks);
  startRecording(own, TPRT_RECORDING_MODE_ALL, 0);
  recordFunctions("*");
  two();
  mustBeOk(tprt_recording_stop());
  _exit(0);
}

__attribute__((tp_never)) int pthread_setcancelstate(int state, int *old) {
  static int (*real)(int, int *);
  if (!real)
    real = (int (*)(int, int *))dlsym(RTLD_NEXT, "pthread_setcancelstate");
  // `old` is NULL where the runtime restores the state.
  if (armed && !old && chances++ % EVERY == 0) {
    armed = 0;
    pid_t made = fork();
    if (made == 0)
      child();
    int status;
    if (made < 0 || waitpid(made, &status, 0) != made || status != 0)
      ++failures;
    ++forks;
    armed = 1;
  }
  return real(state, old);
}

int main(int count, char **arguments) {
  (void)count;
  file = arguments[1];
  startRecording(file, TPRT_RECORDING_MODE_ALL, 0);
  recordFunctions("one");
  recordFunctions("two");
  one();
  armed = 1;
  mustBeOk(tprt_recording_stop());
  armed = 0;
  if (forks < 5)
    return 1;
  printf("forked %d times, children that failed: %d\n", forks, failures);
}
