// If this fails, the table has an exit that no thread ever reaches.
// RUN: %clang -O2 -fplugin-arg-tp-exit -S %s -o - | FileCheck %s --implicit-check-not=tp_exit --implicit-check-not=tp_sleds
// CHECK-LABEL: {{^}}f:
// CHECK: callq g
_Noreturn void g(void);
void f(void) { g(); }
