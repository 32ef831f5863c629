// Functions without sleds are found by their unwind entries. If this fails, a function without an
// unwind entry is reported as missing.
//
// REQUIRES: tprt-code
// RUN: %clang -O1 -fno-asynchronous-unwind-tables -fno-unwind-tables %s -o %t
// RUN: env LD_PRELOAD=%{libdir}/libtprt.so "TPRT_OPTIONS=count=*entries*!lonely code=1" %t 2>&1 | FileCheck %s
//
// CHECK: lonely in {{.*}}functions-without{{.*}} has no unwind entry, which is needed to probe a function without sleds: compile it with -fasynchronous-unwind-tables, or with sleds
__attribute__((noinline)) int lonely(int X) { return X * 3; }

int main(int Count, char **Names) { return lonely(Count) == 99; }
