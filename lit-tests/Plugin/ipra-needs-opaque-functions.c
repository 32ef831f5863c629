// If this fails, callers keep values in registers that a function's body does not change,
// and the function's handler destroys these values.
// RUN: not %clang -O2 -fplugin-arg-tp-entry=2 -mllvm -enable-ipra -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %clang -O2 -fplugin-arg-tp-exit -mllvm -enable-ipra -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %clang -O2 -fplugin-arg-tp-entry=2 -fplugin-arg-tp-opaque -mllvm -enable-ipra -c %s -o %t.o
// CHECK: error: tp: under -enable-ipra, callers of 'count' may keep values in registers that a handler does not preserve: leave out the flag, or mark the function tp_opaque
// CHECK-NOT: {{error|warning}}: tp
// CHECK-NOT: never
extern int Counter;
void count(void) { ++Counter; }
__attribute__((tp_never)) void never(void) { count(); }
