// If this fails, the tables are printed for a failed exec, and again at the program's end.
//
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 %s -o %t
// RUN: env LD_PRELOAD=%{libdir}/libtprt.so TPRT_OPTIONS=count=work %t 2>&1 | FileCheck %s --implicit-check-not=before
//
// CHECK: 1  work
#define _GNU_SOURCE
#include <fcntl.h>
#include <unistd.h>
__attribute__((noinline)) void work(void) { __asm__ volatile(""); }
int main(void) {
  char *none[] = {"none", 0};
  work();
  execv("/", none);
  execv("", none);
  fexecve(-1, none, none);
  execveat(AT_FDCWD, "", none, none, 0);
}
