// A thread's first hit is in a child of vfork, which runs on the thread's own thread-local
// storage: the block claimed there is the thread's. If this fails, libtprt assigns the block to the
// ended child, and detach returns while the thread is inside the handler.
//
// RUN: %clang -O2 -pthread -fplugin-arg-tp-entry=2,0 %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: while inside: detached, but a thread is still inside the handler
// CHECK-NEXT: afterwards: it was done
#define _GNU_SOURCE
#include "../Inputs/harness.h"
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int stays, inside, leave;
__attribute__((tp_never)) static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) {
  if (!stays)
    return;
  for (inside = 1; !leave;)
    usleep(1000);
}
__attribute__((noinline)) void f(void) { __asm__ volatile(""); }

__attribute__((tp_never)) static void *run(void *unused) {
  pid_t child = vfork();
  if (!child) {
    f();
    _exit(0);
  }
  waitpid(child, NULL, 0);
  stays = 1;
  f();
  return unused;
}

__attribute__((tp_never)) int main(void) {
  tprt_probe *probe = attachHandler("f", onHit, NULL);
  pthread_t thread;
  pthread_create(&thread, NULL, run, NULL);
  waitUntil(&inside);
  printf("while inside: %s\n", detach(probe, 300));
  leave = 1;
  printf("afterwards: %s\n", detach(probe, -1));
  return pthread_join(thread, NULL);
}
