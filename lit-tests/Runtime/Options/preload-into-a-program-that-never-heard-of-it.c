// The calls of a program can be counted even if it is not linked with libtprt. This would
// fail if a constructor in each module had to register the module.
//
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 %s -o %t
// RUN: env LD_PRELOAD=%{libdir}/libtprt.so "TPRT_OPTIONS=count=w*" %t 2>&1 | FileCheck %s
// RUN: llvm-readelf -d %t | FileCheck %s --check-prefix=NEEDED
// RUN: %plain_clang %s -o %t.plain
// RUN: env LD_PRELOAD=%{libdir}/libtprt.so TPRT_OPTIONS=count=work %t.plain 2>&1 | FileCheck %s --check-prefix=PLAIN
//
// CHECK: result 499500
// CHECK: tprt: 1000 calls of 1 function (2 watched) in {{preload.*}}, process {{[0-9]+}}
// CHECK-NEXT: calls function
// CHECK-NEXT: 1000 work ({{.*}}
// PLAIN: tprt: no module in this process (preload{{.*}}.plain) has a sled table: build the program with tp-clang -ftp-entry=2,0, or probe functions without sleds (tpctl --code, TPRT_OPTIONS=code=1)
// NEEDED-NOT: tprt
#include <stdio.h>

__attribute__((noinline)) long work(long sum, int i) { return sum + i; }
__attribute__((noinline)) void wait_never(void) { puts("never"); }

int main(int argc, char **argv) {
  long sum = 0;
  for (int i = 0; i < 1000; ++i)
    sum = work(sum, i);
  printf("result %ld\n", sum);
  fflush(stdout);
  if (argc > 1)
    wait_never();
}
