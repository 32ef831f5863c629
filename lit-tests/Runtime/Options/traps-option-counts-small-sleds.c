// TPRT_OPTIONS=traps=1 counts functions whose sled has no room for a jump, in a program that
// knows nothing of libtprt. Without that option these functions are not in the table, and a
// message says why.
//
// REQUIRES: x86_64-host
// RUN: %clang -O2 -fplugin-arg-tp-entry=1 %s -o %t
// RUN: env LD_PRELOAD=%{libdir}/libtprt.so "TPRT_OPTIONS=count=work traps=1" %t 2>&1 | FileCheck %s
// RUN: env LD_PRELOAD=%{libdir}/libtprt.so "TPRT_OPTIONS=count=work" %t 2>&1 | FileCheck %s --check-prefix=WITHOUT
//
// CHECK: result 499500
// CHECK: tprt: 1000 calls of 1 function (1 watched)
// WITHOUT: 1 of 1 site refused, the first work ({{.*}}): the sled has no room for a jump; {{.*}}TPRT_SELECT_TRAPS
// WITHOUT: result 499500
#include <stdio.h>

__attribute__((noinline)) long work(long sum, int i) { return sum + i; }
int main() {
  long sum = 0;
  for (int i = 0; i < 1000; ++i)
    sum = work(sum, i);
  printf("result %ld\n", sum);
  fflush(stdout);
}
