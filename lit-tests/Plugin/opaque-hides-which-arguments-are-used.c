// If this fails, arguments that a tp_opaque function does not read are not passed
// to it: a handler reads wrong values, and so does a replacement function.
// DEFINE: %{cc} = %clang --target=x86_64-linux-gnu -S %s -o -
// RUN: %{cc} -O2 | FileCheck %s
// RUN: %{cc} -O3 | FileCheck %s
// RUN: %{cc} -O2 -Dtp_opaque=noinline | FileCheck %s --check-prefix=KNOWN
static __attribute__((tp_opaque)) int work(int Unread, int Constant, int *Read) {
  return *Read + Constant;
}
// CHECK-LABEL: {{^}}caller:
// CHECK-DAG: movl $77, %edi
// CHECK-DAG: movl $5, %esi
// CHECK: callq work
// CHECK-LABEL: {{^}}work:
// CHECK: %esi
// CHECK: retq
// KNOWN-LABEL: {{^}}caller:
// KNOWN-NOT: $77
// KNOWN-NOT: $5
// KNOWN-LABEL: {{^}}work:
int caller(int X) { return work(77, 5, &X) * X; }
