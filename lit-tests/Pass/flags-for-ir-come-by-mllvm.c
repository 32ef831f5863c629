// If this fails, flags put no sleds into IR files.
// RUN: %plain_clang -O1 -S -emit-llvm %s -o %t.ll
// RUN: %clang -mllvm -tp-entry=2 -x ir -S %t.ll -o - | FileCheck %s
// RUN: %llc -tp-entry=2 %t.ll -o - | FileCheck %s
// CHECK: xchgw %ax, %ax
// RUN: %opt -passes=tp-decide -tp-entry=2 -S %t.ll | FileCheck %s --check-prefix=OPT
// OPT: "tp-entry"="2,0"
// RUN: not %llc -tp-entry=x %t.ll -o /dev/null 2>&1 | FileCheck %s --check-prefix=BAD
// RUN: not %opt -passes=tp-decide -tp-entry=x %t.ll -o /dev/null 2>&1 | FileCheck %s --check-prefix=BAD
// BAD: tp: invalid value 'x' in '-tp-entry=x': expected N or N,M
int f(int X) { return X + 1; }
