// A child of vfork runs on its parent's memory. If the child printed the table, at exec
// or at _exit, its parent would print no table.
//
// REQUIRES: x86_64-host
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 %s -o %t
// RUN: env LD_PRELOAD=%{libdir}/libtprt.so TPRT_OPTIONS=count=work %t 2>&1 | FileCheck %s
//
// CHECK-NOT: tprt
// CHECK: it ran
// CHECK: died of 1
// CHECK-NEXT: tprt: 3 calls of 1 function
// CHECK-NOT: tprt
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
__attribute__((noinline)) void work(void) { __asm__ volatile(""); }
int main() {
  char *arguments[] = {"echo", "it ran", NULL}, *empty[] = {NULL};
  int status;
  work();
  if (!vfork()) {
    work();
    execve("/bin/echo", arguments, empty);
  }
  wait(&status);
  if (!vfork()) {
    work();
    _exit(0);
  }
  wait(&status);
  // The child has its own signal actions, but shares the handler's memory.
  if (!vfork()) {
    kill(getpid(), SIGHUP);
    _exit(0);
  }
  wait(&status);
  fprintf(stderr, "died of %d\n", WTERMSIG(status));
}
