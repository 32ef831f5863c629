// If this fails, callers of a tp_opaque function keep values in registers that its body
// does not change, and a handler or a replacement destroys these values.
// DEFINE: %{cc} = %clang --target=x86_64-linux-gnu -fomit-frame-pointer -O2 -mllvm -enable-ipra -S %s -o -
// RUN: %{cc} | FileCheck %s
// RUN: %{cc} -Dtp_opaque=noinline | FileCheck %s --check-prefix=KNOWN
extern int Counter;
static __attribute__((tp_opaque)) void count(void) { ++Counter; }
// CHECK-LABEL: {{^}}caller:
// CHECK: push
// KNOWN-LABEL: {{^}}caller:
// KNOWN-NOT: %rbx
// KNOWN: retq
int caller(int A, int B) {
  count();
  return A * B;
}
