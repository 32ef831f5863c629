// The same as fork-in-a-thread-that-was-never-hit.c, but for a child created by _Fork, and for a thread
// whose first hit is in the child.
//
// REQUIRES: x86_64-host
// RUN: %clang -O2 -pthread -fplugin-arg-tp-entry=2,0 -fplugin-arg-tp-exit %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: child: 0
// CHECK: parent 0
#define _GNU_SOURCE
#include "../Inputs/harness.h"
#include <pthread.h>
#include <sys/wait.h>
pid_t _Fork(void);
__attribute__((noinline)) void f(void) { __asm__ volatile(""); }
static volatile int in, go;
static void h(const tprt_event *e, const tprt_regs *r, void *d) { in = 1; while (!go) usleep(1000); }
static void *run(void *a) { f(); return 0; }
int main(void) {
  tprt_probe *p = attachHandler("f", h, NULL);
  pthread_t t; pthread_create(&t, 0, run, 0);
  waitUntil(&in);
  pid_t c = _Fork();
  if (!c) { go = 1; f(); printf("child: %d\n", tprt_probe_detach(p, 500)); fflush(stdout); _exit(0); }
  waitpid(c, 0, 0);
  go = 1; pthread_join(t, 0);
  printf("parent %d\n", tprt_probe_detach(p, -1));
}
