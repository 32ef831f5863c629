// libtprt is preloaded into a script, so it is in each program that the script runs. The
// first program reports that it has no sleds, and its children do not repeat that line.
// Programs with sleds print their tables.
//
// REQUIRES: x86_64-host
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 %s -o %t
// RUN: env LD_PRELOAD=%{libdir}/libtprt.so TPRT_OPTIONS=count=main sh -c "/bin/true; /bin/true; %t; /bin/true; exit 0" 2>&1 | FileCheck %s
//
// CHECK: tprt: no module in this process ({{.*sh}}) has a sled table
// CHECK-NEXT: tprt: 1 call of 1 function
// CHECK: 1 main
// CHECK-NOT: tprt
int main() {}
