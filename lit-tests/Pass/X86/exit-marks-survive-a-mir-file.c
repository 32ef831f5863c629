// If this fails, exit sleds are lost in a MIR file, or are created twice.
// RUN: %plain_clang -O1 -S -emit-llvm %s -o %t.ll
// RUN: %llc -tp-exit -stop-after=tp-exits %t.ll -o %t.mir
// RUN: FileCheck %s --check-prefix=MIR < %t.mir
// MIR: exact ANNOTATION_LABEL <mcsymbol .Ltp_exit0>
// MIR-NEXT: RET64
// MIR: exact nofpexcept ANNOTATION_LABEL <mcsymbol .Ltp_exit1>
// MIR-NEXT: TAILJMPd64
// RUN: %llc -start-after=funclet-layout %t.mir -o - | FileCheck %s
// RUN: %llc -start-before=funclet-layout %t.mir -o - | FileCheck %s
// CHECK-LABEL: {{^}}f:
// CHECK: .Ltp_exit0:
// CHECK-NEXT: retq
// CHECK-NOT: .Ltp_exit{{[0-9]+}}:
// CHECK-LABEL: {{^}}t:
// CHECK: .Ltp_exit1:
// CHECK-NEXT: .asciz
// CHECK-NEXT: jmp
int g(int);
int f(int X) { return X + 1; }
int t(int X) { return g(X); }
