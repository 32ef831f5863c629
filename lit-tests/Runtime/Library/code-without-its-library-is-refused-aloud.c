// If this fails, a libtprt.so that was copied without libtprt-code.so finds no function without
// sleds, and does not say why.
//
// REQUIRES: tprt-code
// RUN: rm -rf %t && mkdir %t && cp %{libdir}/libtprt.so %t/libtprt.so
// RUN: %plain_clang -O2 %s -o %t/program
// RUN: env LD_PRELOAD=%t/libtprt.so TPRT_OPTIONS=code=1,count=main %t/program 2>&1 | FileCheck %s
// RUN: env -u TPRT_OPTIONS LD_PRELOAD=%t/libtprt.so %t/program 2>&1 | FileCheck %s --check-prefix=WITHOUT
//
// CHECK: tprt: {{.*}}functions without sleds can't be probed: {{.*}}libtprt-code.so: {{.*}}; install libtprt-code.so in the folder of libtprt.so
// CHECK-NEXT: it ran
// WITHOUT-NOT: {{.}}
// WITHOUT: it ran
#include <stdio.h>
int main() { puts("it ran"); }
