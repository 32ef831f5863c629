// If this fails, a preemptible function does not link with -shared.
// RUN: %clang -fPIC -fplugin-arg-tp-entry=2 -c %s -o %t.o
// RUN: llvm-readelf -r %t.o | FileCheck %s
// CHECK: relatp_sleds
// CHECK: R_X86_64_PC32 {{.*}} .text + 8
// CHECK-NEXT: R_X86_64_PC32 {{.*}} .text + 8
__attribute__((visibility("default"))) void f(void) {}
