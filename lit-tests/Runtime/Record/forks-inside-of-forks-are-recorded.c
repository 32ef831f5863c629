// In the recording, each parent names its children. The same holds if the child of a fork forks before it has recorded
// anything, if a handler of pthread_atfork() forks inside a fork, and if several threads fork at the same moment.
//
// RUN: %plain_clang -shared -fPIC -DHANDLER %s -Wl,-z,initfirst -o %t.so
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 -fplugin-arg-tp-exit %s -pthread %t.so -o %t %tprt_flags
// RUN: rm -f %t.rec && %t %t.rec
// RUN: %tpctl trace %t.rec | grep -o 'fork: child [0-9][0-9]*' | sort -u | wc -l | FileCheck %s
//
// CHECK: {{^}}85{{$}}
#ifdef HANDLER
#include <pthread.h>

void (*insideOfFork)(void);
static void prepare(void) {
  void (*call)(void) = insideOfFork;
  insideOfFork = 0;
  if (call)
    call();
}
// Runs before the constructors of all other libraries, so that the handler is the last one before the fork.
__attribute__((constructor)) static void start(void) { pthread_atfork(prepare, 0, 0); }
#else
#include "../Inputs/record.h"
#include <pthread.h>
#include <sys/wait.h>

extern void (*insideOfFork)(void);
__attribute__((noinline)) void t_parent(void) { __asm__ volatile(""); }
__attribute__((noinline)) void t_silent(void) { __asm__ volatile(""); }
__attribute__((noinline)) void t_inner(void) { __asm__ volatile(""); }
__attribute__((noinline)) void t_outer(void) { __asm__ volatile(""); }
__attribute__((noinline)) void t_thread(void) { __asm__ volatile(""); }

NO_SLEDS void forkInHandler(void) {
  if (fork())
    wait(NULL);
  else
    t_inner();
}

NO_SLEDS void *forkOften(void *unused) {
  t_thread();
  for (int i = 0; i < 20; ++i) {
    pid_t child = fork();
    if (!child) {
      t_thread();
      exit(0);
    }
    waitpid(child, NULL, 0);
  }
  return unused;
}

int main(int count, char **arguments) {
  (void)count;
  startRecording(arguments[1], TPRT_RECORDING_MODE_ALL, 0);
  recordFunctions("t_*");
  t_parent();
  if (!fork()) {
    if (!fork()) {
      t_silent();
      exit(0);
    }
    wait(NULL);
    exit(0);
  }
  wait(NULL);
  pid_t self = getpid();
  insideOfFork = forkInHandler;
  if (!fork()) {
    t_outer();
    exit(0);
  }
  wait(NULL);
  if (getpid() != self)
    exit(0);
  pthread_t threads[4];
  for (int i = 0; i < 4; ++i)
    pthread_create(&threads[i], NULL, forkOften, NULL);
  for (int i = 0; i < 4; ++i)
    pthread_join(threads[i], NULL);
  mustBeOk(tprt_recording_stop());
}
#endif
