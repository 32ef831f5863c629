// If this fails, a function written in assembly gets unexpected bytes.
// RUN: %clang -fplugin-arg-tp-entry=2 -S %s -o - | FileCheck %s
// CHECK-LABEL: {{^}}bare:
// CHECK-NOT: xchgw
// CHECK-NOT: tp_sleds
__attribute__((naked)) void bare(void) { __asm__("ret"); }
