// If this fails, the optimiser derives attributes of a tp_opaque function from its
// body, and callers rely on them.
// DEFINE: %{cc} = %clangxx --target=x86_64-linux-gnu -S -emit-llvm %s -o -
// RUN: %{cc} -O2 | FileCheck %s
// RUN: %{cc} -O3 | FileCheck %s
// RUN: %{cc} -O2 -Dtp_opaque=noinline | FileCheck %s --check-prefix=KNOWN
// CHECK: define {{.*}} @_Z6callerPiS_
// CHECK: call noundef ptr @_ZL5localPiS_(ptr noundef %0, ptr noundef %1)
// CHECK: define internal noundef ptr @_ZL5localPiS_(ptr noundef %0, ptr noundef %1) [[A:#[0-9]+]]
// CHECK: attributes [[A]] =
// CHECK-NOT: {{memory|nounwind|willreturn|nofree|nosync|norecurse}}
// CHECK-SAME: "tp-opaque"
// KNOWN: @_Z6globalPi(ptr {{noundef readonly captures\(none\)|nocapture noundef readonly}}
static __attribute__((tp_opaque)) int *local(int *A, int *B) {
  return *B ? A : A;
}
__attribute__((tp_opaque)) int global(int *A) { return *A; }
int *caller(int *A, int *B) { return local(A, B) + global(B); }
