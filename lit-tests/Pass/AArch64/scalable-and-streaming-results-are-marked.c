// If this fails, a handler at an exit destroys an SVE result.
// clang 16 has no __arm_streaming.
// REQUIRES: llvm-at-least-17
// RUN: %clang --target=aarch64-linux-gnu -march=armv9-a+sme -O2 -ffunction-sections -fplugin-arg-tp-exit -S %s -o - | FileCheck %s
typedef __SVFloat32_t V;
// CHECK-LABEL: {{^}}vector:
// CHECK: .byte 4{{$}}
// CHECK-NEXT: .byte 0
// CHECK-NEXT: .byte {{4|36}}{{$}}
V vector(V X) { return X; }
// CHECK-LABEL: {{^}}streaming:
// CHECK: .byte 4{{$}}
// CHECK-NEXT: .byte 0
// CHECK-NEXT: .byte 8{{$}}
int streaming(int X) __arm_streaming { return X; }
// CHECK-LABEL: {{^}}tail:
// CHECK: .byte 66
// CHECK-NEXT: .byte 4{{$}}
// CHECK-NEXT: .byte 0
// CHECK-NEXT: .byte 4{{$}}
int tail(int X, int (*F)(V), V *P) { return F(*P); }
