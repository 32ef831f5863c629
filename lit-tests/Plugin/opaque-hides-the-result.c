// If this fails, a caller of a tp_opaque function uses a result derived from the
// body. Changing the result or replacing the function then has no effect.
// DEFINE: %{cc} = %clang --target=x86_64-linux-gnu -S %s -o -
// RUN: %{cc} -O2 | FileCheck %s
// RUN: %{cc} -O3 | FileCheck %s
// RUN: %{cc} -O3 -fplugin-arg-tp-entry=2 -fplugin-arg-tp-opaque -Dtp_opaque=used | FileCheck %s
// RUN: %{cc} -O2 -Dtp_opaque=noinline | FileCheck %s --check-prefix=KNOWN
static __attribute__((tp_opaque)) int local(int X) { return 3; }
__attribute__((tp_opaque)) int global(int X) { return 30; }
// CHECK-LABEL: {{^}}caller:
// CHECK: callq local
// CHECK: callq global
// CHECK: addl %{{e..}}, %eax
// KNOWN-LABEL: {{^}}caller:
// KNOWN: movl $33, %eax
int caller(int X) { return local(X) + global(X); }
