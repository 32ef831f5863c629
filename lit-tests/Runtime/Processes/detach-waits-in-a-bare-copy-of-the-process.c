// A child created by _Fork(), or by a bare clone as in tools for containers, runs no atfork
// handlers. The child's thread is in a handler while another thread detaches. If this fails, detach
// mistakes that thread for the parent's thread, which does not exist in the child.
//
// RUN: %clang -O2 -pthread -fplugin-arg-tp-entry=2,0 %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: fork: while inside: detached, but a thread is still inside the handler, afterwards: it was done
// CHECK-NEXT: _Fork: while inside: detached, but a thread is still inside the handler, afterwards: it was done
// CHECK-NEXT: clone: while inside: detached, but a thread is still inside the handler, afterwards: it was done
#define _GNU_SOURCE
#include "../Inputs/harness.h"
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static tprt_probe *probe;
static volatile int stays, inside, leave;
__attribute__((tp_never)) static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) {
  for (inside = stays; stays && !leave;)
    usleep(1000);
}
__attribute__((noinline)) void f(void) { __asm__ volatile(""); }

__attribute__((tp_never)) static void *detachTwice(void *name) {
  waitUntil(&inside);
  const char *first = detach(probe, 300);
  leave = 1;
  printf("%s: while inside: %s, afterwards: %s\n", (const char *)name, first, detach(probe, -1));
  fflush(stdout);
  return NULL;
}

__attribute__((tp_never)) static void isChild(pid_t child, const char *name) {
  if (child) {
    waitpid(child, NULL, 0);
    return;
  }
  pthread_t thread;
  pthread_create(&thread, NULL, detachTwice, (void *)name);
  stays = 1;
  f();
  pthread_join(thread, NULL);
  _exit(0);
}

__attribute__((tp_never)) int main(void) {
  probe = attachHandler("f", onHit, NULL);
  f();
  isChild(fork(), "fork");
  isChild(_Fork(), "_Fork");
  isChild((pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0), "clone");
}
