// Ctrl-C, a time limit and the like still end a program by their signal, and the
// program's table is printed. The program's own actions for signals do not change, and a
// child of vfork that dies of a signal prints nothing.
//
// REQUIRES: x86_64-host
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 %s -o %t
// RUN: env LD_PRELOAD=%{libdir}/libtprt.so TPRT_OPTIONS=count=work %t start 2>&1 | FileCheck %s
//
// CHECK: tprt: 1 call of 1 function (1 watched) in {{.*}}, ended by signal 1{{$}}
// CHECK: died of 1
// CHECK: , ended by signal 2{{$}}
// CHECK: died of 2
// CHECK: , ended by signal 6{{$}}
// CHECK: died of 6
// CHECK: , ended by signal 13
// CHECK: died of 13
// CHECK: , ended by signal 15
// CHECK: died of 15
// CHECK: , ended by signal 24
// CHECK: died of 24
// CHECK-NEXT: handled 15
// CHECK-NEXT: ignored 15
// CHECK-NEXT: vfork: died of 15
// CHECK-NEXT: tprt: 1 call of 1 function
// CHECK-NOT: tprt
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
__attribute__((noinline)) void work(void) { __asm__ volatile(""); }
static volatile int seen;
static void handler(int number) { seen = number; }

int main(int argc, char **argv) {
  if (argc > 1) { // the test's parent may ignore some
    signal(SIGINT, SIG_DFL);
    signal(SIGPIPE, SIG_DFL);
    return execl(argv[0], argv[0], (char *)0);
  }
  static const int signals[] = {SIGHUP, SIGINT, SIGABRT, SIGPIPE, SIGTERM, SIGXCPU};
  setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
  int status;
  work();
  for (int i = 0; i < 6; ++i) {
    if (!fork()) {
      kill(getpid(), signals[i]);
      _exit(99);
    }
    wait(&status);
    fprintf(stderr, "died of %d\n", WIFSIGNALED(status) ? WTERMSIG(status) : -1);
  }
  signal(SIGTERM, handler);
  raise(SIGTERM);
  fprintf(stderr, "handled %d\n", seen);
  signal(SIGTERM, SIG_IGN);
  raise(SIGTERM);
  fprintf(stderr, "ignored %d\n", seen);
  signal(SIGTERM, SIG_DFL);
  pid_t child = vfork();
  if (child == 0) {
    kill(getpid(), SIGTERM);
    _exit(99);
  }
  waitpid(child, &status, 0);
  fprintf(stderr, "vfork: died of %d\n", WTERMSIG(status));
}
