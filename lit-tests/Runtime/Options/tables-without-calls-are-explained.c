// Instead of an empty table, a message says which functions were not called.
//
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 %s -o %t
// RUN: env LD_PRELOAD=%{libdir}/libtprt.so "TPRT_OPTIONS=count=never_*" %t 2>&1 | FileCheck %s
//
// CHECK: tprt: no call of the 2 watched functions in tables-without
// CHECK-NOT: function
__attribute__((noinline)) void never_one(void) { __asm__ volatile(""); }
__attribute__((noinline)) void never_two(void) { __asm__ volatile(""); }
int main(int argc, char **argv) {
  if (argc > 1)
    never_one(), never_two();
}
