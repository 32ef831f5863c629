// If this fails, a sled is lost in a MIR file. (LLVM cannot start at an inserted
// pass; the pass that ours is inserted behind is where to start.)
// RUN: %plain_clang -O1 -S -emit-llvm %s -o %t.ll
// RUN: %llc -tp-entry=2 -stop-after=tp-sleds %t.ll -o %t.mir
// RUN: %llc -start-after=patchable-function %t.mir -o - | FileCheck %s
// CHECK: {{^}}f:
// CHECK: xchgw %ax, %ax
// CHECK: .section tp_sleds
int f(int X) { return X + 1; }
