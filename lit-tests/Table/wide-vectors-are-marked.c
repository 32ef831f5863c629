// If this fails, a handler zeroes the upper lanes of __m256 arguments.
// RUN: %clang -mavx512f -O1 -ffunction-sections -fplugin-arg-tp-entry=2 -S %s -o - | FileCheck %s
typedef float V4 __attribute__((vector_size(16)));
typedef float V8 __attribute__((vector_size(32)));
typedef float V16 __attribute__((vector_size(64)));
struct S { V8 V; };
// CHECK-LABEL: {{^}}f128:
// CHECK: .byte 5{{$}}
// CHECK-NEXT: .byte 0{{$}}
void f128(V4 V) {}
// CHECK-LABEL: {{^}}f256:
// CHECK: .byte 5{{$}}
// CHECK-NEXT: .byte 1{{$}}
void f256(int X, V8 V) {}
// CHECK-LABEL: {{^}}f512:
// CHECK: .byte 5{{$}}
// CHECK-NEXT: .byte 3{{$}}
void f512(V16 V) {}
// CHECK-LABEL: {{^}}inside:
// CHECK: .byte 5{{$}}
// CHECK-NEXT: .byte 1{{$}}
void inside(struct S X) {}
// A result does not matter at the entry.
// CHECK-LABEL: {{^}}result:
// CHECK: .byte 5{{$}}
// CHECK-NEXT: .byte 0{{$}}
V8 result(V8 *P) { return *P; }
