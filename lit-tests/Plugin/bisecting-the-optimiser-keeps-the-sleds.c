// If this fails, a program that is compiled with fewer passes, to find a faulty pass, has
// no sleds.
// RUN: %clang -O1 -mllvm -opt-bisect-limit=0 -fplugin-arg-tp-entry=2 -S -emit-llvm %s -o - 2>/dev/null | FileCheck %s
// RUN: %plain_clang -O1 -Xclang -disable-llvm-passes -S -emit-llvm %s -o %t.ll
// RUN: %opt -passes=tp-decide -opt-bisect-limit=0 -tp-entry=2 -S %t.ll 2>/dev/null | FileCheck %s
// CHECK: "tp-entry"="2,0"
int f(int X) { return X + 1; }
