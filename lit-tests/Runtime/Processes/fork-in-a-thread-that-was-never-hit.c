// A thread without any hit so far forks while another thread is in a handler. If this
// fails, the child's detach waits for a thread that does not exist there.
//
// RUN: %clang -O2 -pthread -fplugin-arg-tp-entry=2,0 -fplugin-arg-tp-exit %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: child: 0
// CHECK: parent 0
#include "../Inputs/harness.h"
#include <pthread.h>
#include <sys/wait.h>
#include <time.h>
#include <signal.h>
__attribute__((noinline)) void f(void) { __asm__ volatile(""); }
static volatile int in, go;
static void h(const tprt_event *e, const tprt_regs *r, void *d) { in = 1; while (!go) usleep(1000); }
static void *run(void *a) { f(); return 0; }
int main(void) {
  tprt_probe *p = attachHandler("f", h, NULL);
  pthread_t t; pthread_create(&t, 0, run, 0);
  waitUntil(&in);
  pid_t c = fork();
  if (!c) { alarm(5); tprt_status st = tprt_probe_detach(p, 1000); printf("child: %d\n", st); fflush(stdout);  st = tprt_probe_detach(p, 1000); printf("child again: %d\n", st); fflush(stdout); _exit(0); }
  int st; waitpid(c, &st, 0); printf("status %x\n", st);
  go = 1; pthread_join(t, 0);
  printf("parent %d\n", tprt_probe_detach(p, -1));
}
