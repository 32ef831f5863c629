// With output=FILE, only the first table of a run empties FILE. With output=+FILE, tables
// are appended. A table that cannot be written to FILE, or not completely, is written to
// standard error.
//
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 %s -o %t
// RUN: echo before > %t.out
// RUN: env LD_PRELOAD=%{libdir}/libtprt.so "TPRT_OPTIONS=count=work output=%t.out" %t
// RUN: FileCheck %s --input-file=%t.out --implicit-check-not=before
// RUN: env LD_PRELOAD=%{libdir}/libtprt.so "TPRT_OPTIONS=count=work output=+%t.out" %t
// RUN: FileCheck %s --input-file=%t.out --check-prefixes=CHECK,AGAIN
//
// A relative FILE is in the folder in which the program started.
// RUN: rm -rf %t.d && mkdir %t.d && cd %t.d
// RUN: env LD_PRELOAD=%{libdir}/libtprt.so "TPRT_OPTIONS=count=work output=here" %t
// RUN: FileCheck %s --input-file=%t.d/here
//
// RUN: env LD_PRELOAD=%{libdir}/libtprt.so "TPRT_OPTIONS=count=work output=/dev/full" %t 2>&1 | FileCheck %s --check-prefix=FULL
//
// CHECK: tprt: 2 calls of 1 function
// CHECK: tprt: 1 call of 1 function
// AGAIN: tprt: 2 calls of 1 function
// AGAIN: tprt: 1 call of 1 function
// FULL: tprt: can't write /dev/full: {{.+}}; the table follows here
// FULL-NEXT: tprt: 2 calls of 1 function
#include <sys/wait.h>
#include <unistd.h>
__attribute__((noinline)) void work(void) { __asm__ volatile(""); }
int main() {
  work();
  if (chdir("/"))
    return 1;
  if (fork() == 0) {
    work();
    return 0;
  }
  wait(0);
}
