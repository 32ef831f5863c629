// If this fails, two tp_opaque functions with the same body become one, or one function
// becomes several. A probe then gets too many or too few hits.
// LLVM 16 has no option -force-specialization.
// REQUIRES: llvm-at-least-17
// DEFINE: %{cc} = %clang --target=x86_64-linux-gnu -S -emit-llvm %s -o - -Xclang -fmerge-functions -mllvm -force-specialization
// RUN: %{cc} -O3 | FileCheck %s
// RUN: %{cc} -O3 -Dtp_opaque=noinline | FileCheck %s --check-prefix=KNOWN
__attribute__((tp_opaque)) int one(int X, int *P) { return *P * X + 12; }
__attribute__((tp_opaque)) int two(int X, int *P) { return *P * X + 12; }
static int up(int X) { return X + 1; }
static int down(int X) { return X - 1; }
static __attribute__((tp_opaque)) int apply(int (*F)(int), int X) {
  for (int I = 0; I < X; ++I)
    X = F(X) ^ F(I);
  return X;
}
// CHECK-NOT: apply.specialized
// CHECK: define {{.*}}@one(
// CHECK: mul
// CHECK: define {{.*}}@two(
// CHECK: mul
// CHECK-NOT: apply.specialized
// KNOWN: tail call {{.*}}@apply.specialized
// KNOWN: define {{.*}}@two(
// KNOWN-NEXT: tail call {{.*}} @one(
int caller(int X, int *P) { return apply(up, X) + apply(down, X) + one(X, P) + two(X, P); }
