// If this fails, tp-clang cannot build a program for PowerPC64, where there is no libtprt, or says nothing to a
// program that names libtprt.
// REQUIRES: ppc64le-cross
// RUN: %tp_clang --target=powerpc64le-linux-gnu -O2 -ftp-entry=1 -ftp-exit %s -o %t 2>&1 | count 0
// RUN: %run_ppc64le %t | FileCheck %s
// RUN: %check_linked %t
// RUN: not %tp_clang --target=powerpc64le-linux-gnu -O2 -ftp-entry=1 %s -ltprt -o %t 2>&1 | FileCheck %s --check-prefix=NAMED
// CHECK: 42
// NAMED: warning: there is no libtprt for powerpc64le in this installation
#include <stdio.h>
__attribute__((noinline)) static int add(int A, int B) { return A + B; }
int main(int Count, char **Names) {
  (void)Names;
  printf("%d\n", add(Count, 41));
}
