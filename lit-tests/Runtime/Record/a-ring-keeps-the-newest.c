// In mode NEWEST, the file keeps its size and has the last calls, without a gap, but not
// the first ones. Nothing counts as lost.
//
// REQUIRES: tpctl
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 -fplugin-arg-tp-exit %s -o %t %tprt_flags
// RUN: rm -f %t.rec && env TPRT_OPTIONS="record=%t.rec:*,mode=newest,size=2M" %t
// RUN: %python -c "import os; print(os.path.getsize('%t.rec'))" | FileCheck %s --check-prefix=SIZE
// RUN: %tpctl report %t.rec 2>&1 | FileCheck %s
//
// SIZE: {{^}}2162688{{$}}
// CHECK-NOT: 1000000 {{.*}}early
// CHECK: 100000 {{.*}}late
// CHECK-NOT: 1000000 {{.*}}early
// CHECK: none lost
__attribute__((noinline)) void early(void) { __asm__ volatile(""); }
__attribute__((noinline)) void late(void) { __asm__ volatile(""); }

int main(void) {
  for (int i = 0; i < 1000000; ++i)
    early();
  for (int i = 0; i < 100000; ++i)
    late();
}
