// If this fails, a process with two copies of libtprt mixes their functions, and
// crashes with SIGSEGV at its start.
//
// RUN: rm -rf %t && mkdir %t && cp %{libdir}/libtprt.so.0 %t
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 %s -o %t/main
// RUN: env LD_PRELOAD=%{libdir}/libtprt.so:%t/libtprt.so.0 TPRT_OPTIONS=count=work %t/main 2>&1 | FileCheck %s
//
// CHECK: another copy of libtprt, in {{.*}}, is in charge of this process
// CHECK: 2  work
__attribute__((noinline)) void work(void) { __asm__ volatile(""); }
int main(void) {
  work();
  work();
}
