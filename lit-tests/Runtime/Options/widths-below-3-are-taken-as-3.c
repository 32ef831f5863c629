// The narrowest name has three columns: a smaller value does not mean "no limit".
//
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 %s -o %t
// RUN: env LD_PRELOAD=%{libdir}/libtprt.so "TPRT_OPTIONS=count=work_* width=1" %t 2>&1 | FileCheck %s
// RUN: env LD_PRELOAD=%{libdir}/libtprt.so "TPRT_OPTIONS=count=work_* width=2" %t 2>&1 | FileCheck %s
// RUN: env LD_PRELOAD=%{libdir}/libtprt.so "TPRT_OPTIONS=count=work_* width=3" %t 2>&1 | FileCheck %s
// RUN: env LD_PRELOAD=%{libdir}/libtprt.so "TPRT_OPTIONS=count=work_* width=2 names=full" %t 2>&1 | FileCheck %s
// RUN: env LD_PRELOAD=%{libdir}/libtprt.so "TPRT_OPTIONS=count=work_* width=0" %t 2>&1 | FileCheck %s --check-prefix=WHOLE
//
// CHECK: 1 wo…  (
// WHOLE: 1 work_with_a_name  (
__attribute__((noinline)) void work_with_a_name(void) { __asm__ volatile(""); }
int main(void) { work_with_a_name(); }
