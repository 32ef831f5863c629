// TPRT_OPTIONS=signal=USR1 prints the figures of a program that continues. If the program has its
// own handler for the signal, that handler stays, and a message reports that.
//
// REQUIRES: x86_64-host
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 %s -o %t
// RUN: env LD_PRELOAD=%{libdir}/libtprt.so TPRT_OPTIONS="count=work signal=USR1" %t 2>&1 | FileCheck %s
// RUN: env LD_PRELOAD=%{libdir}/libtprt.so TPRT_OPTIONS="count=work signal=SIGUSR1 output=%t.out" %t
// RUN: FileCheck %s --input-file=%t.out
// RUN: %python -c "import signal, os, sys; signal.signal(signal.SIGUSR1, signal.SIG_IGN); \
// RUN:   os.execvpe(sys.argv[1], sys.argv[1:], dict(os.environ, LD_PRELOAD='%{libdir}/libtprt.so', TPRT_OPTIONS='count=work signal=USR1'))" \
// RUN:   %t 2>&1 | FileCheck %s --check-prefix=IGNORED
//
// CHECK: tprt: 1 call of 1 function (1 watched) in {{.*}}, so far
// CHECK: tprt: 2 calls of 1 function
// IGNORED: signal 10 prints no table: this process ignores or handles the signal
// IGNORED-NOT: so far
// IGNORED: tprt: 2 calls of 1 function
#include <signal.h>
__attribute__((noinline)) void work(void) { __asm__ volatile(""); }
int main(int argc, char **argv) {
  struct sigaction now;
  sigaction(SIGUSR1, 0, &now);
  work();
  if (now.sa_handler != SIG_DFL) // otherwise the signal ends the program here
    raise(SIGUSR1);
  work();
}
