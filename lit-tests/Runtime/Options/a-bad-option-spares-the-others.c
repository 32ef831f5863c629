// A wrong option is ignored, and the other options are followed.
//
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 %s -o %t
// RUN: env LD_PRELOAD=%{libdir}/libtprt.so TPRT_OPTIONS="cuont=x count=main top=many traps=2 count=m[ signal=KILL sort=up" %t 2>&1 | FileCheck %s
//
// CHECK: tprt: TPRT_OPTIONS: 'cuont' is not an option; TPRT_OPTIONS=help=1 lists the options
// CHECK-NEXT: tprt: TPRT_OPTIONS: 'many' is not a value for top
// CHECK-NEXT: tprt: TPRT_OPTIONS: '2' is not a value for traps
// CHECK-NEXT: tprt: TPRT_OPTIONS: the pattern 'm[' of count has a '[' without its ']'
// CHECK-NEXT: tprt: TPRT_OPTIONS: 'KILL' is not a value for signal, which takes HUP, INT
// CHECK-NEXT: tprt: TPRT_OPTIONS: 'up' is not a value for sort, which takes calls, total,
// CHECK-NEXT: tprt: 1 call of 1 function
int main() {}
