// A process that was created by clone(CLONE_VM), with the thread-local storage of a parked thread,
// is in a handler. The id of that process is not the id of a thread of this process. If this fails,
// detach mistakes that process for a thread that has ended.
//
// RUN: %clang -O2 -pthread -fplugin-arg-tp-entry=2,0 %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: while inside: detached, but a thread is still inside the handler
// CHECK-NEXT: afterwards: it was done
#define _GNU_SOURCE
#include "../Inputs/harness.h"
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int inside, leave, never;
static void *volatile storage;
__attribute__((tp_never)) static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) {
  for (inside = 1; !leave;)
    ;
}
__attribute__((noinline)) void f(void) { __asm__ volatile(""); }
__attribute__((tp_never)) static void *park(void *unused) {
  storage = __builtin_thread_pointer();
  for (;;)
    syscall(SYS_futex, &never, FUTEX_WAIT, 0, NULL, NULL, 0);
}
__attribute__((tp_never)) static int child(void *unused) {
  f();
  return (int)syscall(SYS_exit, 0);
}

__attribute__((tp_never)) int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, park, NULL);
  while (!storage)
    usleep(1000);
  tprt_probe *probe = attachHandler("f", onHit, NULL);
  enum { kStack = 1 << 18 };
  char *stack = malloc(kStack);
  pid_t pid = clone(child, stack + kStack, CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SETTLS | SIGCHLD, NULL, NULL,
                    storage, NULL);
  waitUntil(&inside);
  printf("while inside: %s\n", detach(probe, 300));
  leave = 1;
  printf("afterwards: %s\n", detach(probe, -1));
  waitpid(pid, NULL, 0);
  fflush(stdout);
  _exit(0);
}
