// If this fails, a libtprt.so that was copied without libtprt-options.so ignores
// TPRT_OPTIONS without a message.
//
// RUN: rm -rf %t && mkdir %t && cp %{libdir}/libtprt.so %t/libtprt.so
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 %s -o %t/program
// RUN: env LD_PRELOAD=%t/libtprt.so TPRT_OPTIONS=count=main %t/program 2>&1 | FileCheck %s
// RUN: env -u TPRT_OPTIONS LD_PRELOAD=%t/libtprt.so %t/program 2>&1 | FileCheck %s --check-prefix=WITHOUT
//
// CHECK: tprt: TPRT_OPTIONS is not followed: {{.*}}libtprt-options.so: {{.*}}; install libtprt-options.so in the folder of libtprt.so
// CHECK-NEXT: it ran
// WITHOUT-NOT: {{.}}
// WITHOUT: it ran
#include <stdio.h>
int main() { puts("it ran"); }
