// If this fails, a handler clobbers a register that another convention uses.
// RUN: %clang -Wno-unused-parameter -O1 -ffunction-sections -fplugin-arg-tp-entry=2 -S %s -o - | FileCheck %s
// CHECK-LABEL: {{^}}{{.*}}reg:
// CHECK: .byte 5{{$}}
// CHECK-NEXT: .byte 32{{$}}
__attribute__((regcall)) void reg(int A, int B, int C) {}
// CHECK-LABEL: {{^}}most:
// CHECK: .byte 5{{$}}
// CHECK-NEXT: .byte 32{{$}}
__attribute__((preserve_most)) void most(int A) {}
// CHECK-LABEL: {{^}}ms:
// CHECK: .byte 5{{$}}
// CHECK-NEXT: .byte 32{{$}}
__attribute__((ms_abi)) void ms(int A) {}
// CHECK-LABEL: {{^}}usual:
// CHECK: .byte 5{{$}}
// CHECK-NEXT: .byte 0{{$}}
void usual(int A) {}
