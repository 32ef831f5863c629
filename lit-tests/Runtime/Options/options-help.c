// The options are listed where the user is, not only in a manual.
//
// RUN: %plain_clang %s -o %t
// RUN: env LD_PRELOAD=%{libdir}/libtprt.so TPRT_OPTIONS=help=1 %t 2>&1 | FileCheck %s
//
// CHECK: libtprt {{[0-9.]+}}. TPRT_OPTIONS takes name=value
// CHECK-NEXT: count GLOB
// CHECK-NEXT: top N
// CHECK-NEXT: output FILE
// CHECK-NEXT: traps 0|1
// CHECK-NEXT: verbose 0|1|2
// CHECK-NEXT: help 1
int main() {}
