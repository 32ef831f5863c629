// If this fails, a link ends in a relocation overflow nobody understands.
// RUN: not %clang -mcmodel=large -fplugin-arg-tp-entry=2 -c %s -o /dev/null 2>&1 | FileCheck %s
// CHECK: error: tp: sleds are not supported with '-mcmodel=large'
// RUN: %clang -mcmodel=medium -fplugin-arg-tp-entry=2 -c %s -o /dev/null
// RUN: %plain_clang -S -emit-llvm %s -o %t.ll
// RUN: not %llc -code-model=large -tp-entry=2 %t.ll -o /dev/null 2>&1 | FileCheck %s --check-prefix=LLC
// LLC: error: tp: sleds are not supported with -mcmodel=large
void f(void) {}
