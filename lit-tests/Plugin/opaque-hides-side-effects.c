// If this fails, calls of a tp_opaque function disappear, because its body has no
// effect, or because a second call has the same effect as the first.
// DEFINE: %{cc} = %clang --target=x86_64-linux-gnu -S %s -o -
// RUN: %{cc} -O2 | FileCheck %s
// RUN: %{cc} -O3 | FileCheck %s
// RUN: %{cc} -O2 -Dtp_opaque=noinline | FileCheck %s --check-prefix=KNOWN
static __attribute__((tp_opaque)) void nothing(void) {}
__attribute__((tp_opaque)) int pure(int X) { return X * X; }
int Seen;
// CHECK-LABEL: {{^}}caller:
// CHECK: callq nothing
// CHECK: callq pure
// CHECK: callq pure
// CHECK: callq pure
// Both stores stay, because the call between them might read the variable.
// CHECK: movl $1, Seen
// CHECK: callq nothing
// CHECK: movl $2, Seen
// KNOWN-LABEL: {{^}}caller:
// KNOWN-NOT: callq
// KNOWN: movl $2, Seen
// KNOWN-NOT: callq
// KNOWN: retq
void caller(int X) {
  nothing();
  pure(X);
  if (pure(X) == pure(X))
    Seen = 1;
  Seen = 1;
  nothing();
  Seen = 2;
}
