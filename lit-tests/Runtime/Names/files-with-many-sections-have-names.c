// If a file has 65,280 sections or more, the ELF header has 0 instead of their number,
// and the first section header has the number. The test rewrites the header in this form.
//
// RUN: %clang -O1 -fplugin-arg-tp-entry=2,0 %s -o %t
// RUN: %python %S/Inputs/number-of-sections.py %t
// RUN: env LD_PRELOAD=%{libdir}/libtprt.so TPRT_OPTIONS=count=work %t 2>&1 | FileCheck %s
//
// CHECK: 2 work
__attribute__((noinline)) static int work(int X) { return X * 3; }

int main(int Count, char **Names) { return work(work(Count)) == 99; }
