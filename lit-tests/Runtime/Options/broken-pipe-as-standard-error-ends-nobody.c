// If a line cannot be written because standard error has no reader any more, the program
// gets no SIGPIPE. A SIGPIPE that was already pending for the thread or the process stays
// pending, and no other is added.
//
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 %s %tprt_flags -o %t
// RUN: env TPRT_OPTIONS=verbose=1 %t | FileCheck %s
//
// CHECK: none: 0 pending
// CHECK: the thread's: 1 pending
// CHECK: the process's: 1 pending
// CHECK: it ran
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <tprt/tprt.h>
#include <unistd.h>

__attribute__((noinline)) void f(void) { __asm__ volatile(""); }
static void attach(void) {
  tprt_selector selector = {.function = "nosuch"};
  tprt_action action = {.kind = TPRT_ACTION_COUNT};
  tprt_probe *probe;
  tprt_probe_attach(&selector, &action, &probe, NULL);
}
static int takePending(void) {
  sigset_t pipe;
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  int count = 0;
  while (sigtimedwait(&pipe, NULL, &(struct timespec){0, 0}) == SIGPIPE)
    ++count;
  return count;
}

int main() {
  int ends[2];
  pipe(ends);
  dup2(ends[1], 2);
  close(ends[0]);
  close(ends[1]);
  attach(); // with the default action, which ends the program
  printf("none: %d pending\n", takePending());
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, NULL);
  pthread_kill(pthread_self(), SIGPIPE);
  attach();
  printf("the thread's: %d pending\n", takePending());
  kill(getpid(), SIGPIPE);
  attach();
  printf("the process's: %d pending\n", takePending());
  f();
  puts("it ran");
}
