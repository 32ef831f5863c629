// If this fails, a function that requests a sled gets the sled only if its declarations
// are in a certain order.
// RUN: %clang -S %s -o - | FileCheck %s
// CHECK-LABEL: {{^}}first:
// CHECK:       xchgw
// CHECK-LABEL: {{^}}second:
// CHECK:       xchgw
__attribute__((no_instrument_function)) void first(void);
__attribute__((tp_always)) void first(void);
void first(void) {}
__attribute__((tp_always)) void second(void);
__attribute__((no_instrument_function)) void second(void) {}
