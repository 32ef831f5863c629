// If this fails, a signal that ends a program by default no longer ends it, because the
// program has restored the handler of TPRT_OPTIONS without its flags, or calls that
// handler as the previous action.
//
// REQUIRES: x86_64-host
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 %s -o %t
// RUN: not --crash env LD_PRELOAD=%{libdir}/libtprt.so TPRT_OPTIONS=count=work %t restored 2>&1 | FileCheck %s
// RUN: not --crash env LD_PRELOAD=%{libdir}/libtprt.so TPRT_OPTIONS=count=work %t chained 2>&1 | FileCheck %s
//
// CHECK: ended by signal 15
// CHECK: 1  work
// CHECK-NOT: work
#include <signal.h>
#include <string.h>
#include <unistd.h>

__attribute__((noinline)) void work(void) { __asm__ volatile(""); }

static void (*before)(int);
static int calls;
static void chain(int number) {
  if (++calls > 5)
    _exit(0);
  before(number);
}

int main(int argc, char **argv) {
  if (strcmp(argv[1], "chained") == 0) {
    before = signal(SIGTERM, chain);
  } else {
    before = signal(SIGTERM, SIG_IGN);
    signal(SIGTERM, before);
  }
  work();
  alarm(20);
  raise(SIGTERM);
  return 0;
}
