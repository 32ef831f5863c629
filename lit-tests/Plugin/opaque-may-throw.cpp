// If this fails, callers drop the landing pad after a call of a tp_opaque function whose body
// does not throw; an exception of a handler or a replacement then ends the program. For calls after
// the definition, clang itself (and not the optimiser) derives that the function throws no
// exception.
// DEFINE: %{cc} = %clangxx --target=x86_64-linux-gnu -S -emit-llvm %s -o -
// RUN: %{cc} -O2 | FileCheck %s
// RUN: %{cc} -O2 -Dtp_opaque=noinline | FileCheck %s --check-prefix=KNOWN
int quiet(int X);
// CHECK-LABEL: define {{.*}}@_Z6calleri
// CHECK: invoke {{.*}}@_Z5quieti
// KNOWN-LABEL: define {{.*}}@_Z6calleri
// KNOWN-NOT: invoke
// KNOWN: ret i32
int caller(int X) {
  try {
    return quiet(X);
  } catch (...) {
    return -1;
  }
}
__attribute__((tp_opaque)) int quiet(int X) { return X * X; }
