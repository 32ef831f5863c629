// If this fails, a jump takes the place of iret, which returns differently.
// RUN: %clang -O2 -mgeneral-regs-only -fplugin-arg-tp-exit -S %s -o - | FileCheck %s
// CHECK-LABEL: {{^}}handler:
// CHECK-NOT:   .Ltp_exit
// CHECK:       iretq
// CHECK-LABEL: {{^}}usual:
// CHECK:       .Ltp_exit0:
// CHECK-NEXT:  retq
int Hits;
__attribute__((interrupt)) void handler(void *Frame) { ++Hits; }
int usual(void) { return Hits; }
