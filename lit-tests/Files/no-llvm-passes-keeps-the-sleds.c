// Tools use -disable-llvm-passes to get IR that no pass has changed. If this fails, that
// flag loses sleds or ignores an attribute.
// DEFINE: %{with} = %clang -O2 -Xclang -disable-llvm-passes -fplugin-arg-tp-entry=2
// RUN: %{with} -S %s -o - | FileCheck %s
// RUN: %{with} -emit-llvm -c %s -o %t.bc && %clang -O1 -S %t.bc -o - | FileCheck %s
// RUN: %{with} -emit-llvm -S %s -o %t.ll && %opt -passes='default<O3>' %t.ll | %llc -o - | FileCheck %s
// CHECK-LABEL: {{^}}never:
// CHECK-NOT:   xchgw
// CHECK-LABEL: {{^}}one:
// CHECK:       xchgw %ax, %ax
// CHECK-LABEL: {{^}}caller:
// CHECK:       xchgw %ax, %ax
// CHECK:       callq one
__attribute__((tp_never)) int never(int X) { return X + 1; }
__attribute__((tp_opaque)) int one(int X) { return 1; }
int caller(int X) { return one(X) + never(X); }
