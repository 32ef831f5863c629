// A bare clone copies the process while another thread is inside libtprt, with its lock. If this
// fails, a call in the copy waits forever for a thread that does not exist there, or uses
// half-changed lists.
//
// RUN: %clang -O2 -pthread -fplugin-arg-tp-entry=2,0 %s %tprt_interposed_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: attach: not supported here, detach: not supported here, counted 0
// CHECK-NEXT: in the parent: it was done
#define _GNU_SOURCE
#include "../Inputs/harness.h"
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>

// Replaces the C library's mprotect, which libtprt calls with the lock held to make code writable.
static __thread int stops;
static volatile int held, leave;
__attribute__((tp_never)) int mprotect(void *at, size_t bytes, int protection) {
  for (held |= stops; stops && !leave;)
    usleep(1000);
  return (int)syscall(SYS_mprotect, at, bytes, protection);
}

__attribute__((noinline)) void f(void) { __asm__ volatile(""); }
static tprt_probe *probe;
__attribute__((tp_never)) static void *detachStopped(void *unused) {
  stops = 1;
  printf("in the parent: %s\n", detach(probe, -1));
  return unused;
}

__attribute__((tp_never)) int main(void) {
  probe = attachCounter("f");
  f();
  pthread_t thread;
  pthread_create(&thread, NULL, detachStopped, NULL);
  waitUntil(&held);
  pid_t child = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
  if (!child) {
    tprt_selector selector = {.function = "f"};
    tprt_action count = {.kind = TPRT_ACTION_COUNT};
    tprt_probe *other;
    const char *attach = tprt_status_string(tprt_probe_attach(&selector, &count, &other, NULL));
    printf("attach: %s, detach: %s, counted %lu\n", attach, detach(probe, -1),
           (unsigned long)tprt_probe_count(probe));
    fflush(stdout);
    _exit(0);
  }
  waitpid(child, NULL, 0);
  leave = 1;
  return pthread_join(thread, NULL);
}
