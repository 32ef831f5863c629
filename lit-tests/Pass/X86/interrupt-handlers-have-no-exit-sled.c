// If this fails, a jump replaces iret, which returns differently.
// RUN: %clang -O2 -mgeneral-regs-only -fplugin-arg-tp-exit -S %s -o - | FileCheck %s --check-prefixes=CHECK,IRET
// RUN: %clang -O2 -mgeneral-regs-only -muintr -fplugin-arg-tp-exit -S %s -o - | FileCheck %s --check-prefixes=CHECK,UIRET
// CHECK-LABEL: {{^}}handler:
// CHECK-NOT:   .Ltp_exit
// IRET:        iretq
// UIRET:       uiret
// CHECK-LABEL: {{^}}usual:
// CHECK:       .Ltp_exit0:
// CHECK-NEXT:  retq
int Hits;
__attribute__((interrupt)) void handler(void *Frame) { ++Hits; }
int usual(void) { return Hits; }
