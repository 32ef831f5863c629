// If this fails, a tp_opaque function is evaluated by the compiler to initialise a
// global, or a call of an empty tp_opaque constructor or destructor is dropped.
// clang 16 loses annotations of constructors and destructors.
// REQUIRES: llvm-at-least-17
// DEFINE: %{cc} = %clangxx --target=x86_64-linux-gnu -S -fplugin-arg-tp-entry=2 %s -o -
// RUN: %{cc} -O2 | FileCheck %s
// RUN: %{cc} -O2 -Dtp_opaque=noinline | FileCheck %s --check-prefix=KNOWN
__attribute__((tp_opaque)) int seven() { return 7; }
struct Empty {
  __attribute__((tp_opaque)) Empty() {}
  __attribute__((tp_opaque)) ~Empty() {}
};
int Number = seven();
Empty Object;
__attribute__((tp_opaque, constructor)) void early() {}
// CHECK-LABEL: {{^}}_GLOBAL__sub_I_{{.*}}:
// CHECK-DAG: callq _Z5sevenv
// CHECK-DAG: _ZN5EmptyC2Ev
// CHECK-DAG: _ZN5EmptyD2Ev
// CHECK: .section .init_array
// CHECK: .quad _Z5earlyv
// KNOWN-NOT: _GLOBAL__sub_I_
// KNOWN-NOT: .init_array
// KNOWN: {{^}}Number:
// KNOWN-NEXT: .long 7
