// If this fails, a version of a function has no sled, or a resolver has one. A resolver
// runs while the loader is still relocating.
// REQUIRES: x86_64-host
// RUN: %clang -O1 -fplugin-arg-tp-entry=2 -fplugin-arg-tp-exit %s -o %t && %run %t
// RUN: %check_linked %t | FileCheck %s
// CHECK:      {{^}}10 records
// CHECK-NEXT: entry clones.avx2.0
// CHECK-NEXT: entry clones.default.1
// CHECK-NEXT: entry dispatched.A
// CHECK-NEXT: entry dispatched.R
// CHECK-NEXT: entry main
// CHECK-NEXT: exit clones.avx2.0
// CHECK-NEXT: exit clones.default.1
// CHECK-NEXT: exit dispatched.A
// CHECK-NEXT: exit dispatched.R
// CHECK-NEXT: exit main
__attribute__((target_clones("default", "avx2"))) int clones(int X) { return X - 1; }
__attribute__((cpu_specific(generic))) int dispatched(int X) { return X; }
__attribute__((cpu_specific(sandybridge))) int dispatched(int X) { return 0 + X; }
__attribute__((cpu_dispatch(generic, sandybridge))) int dispatched(int X) {}
int main(int Count, char **Names) { return clones(Count) + dispatched(Count - 1); }
