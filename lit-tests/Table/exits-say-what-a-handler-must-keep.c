// If this fails, a handler at an exit destroys the result, or the arguments of
// the jump's target.
// RUN: %clang -O2 -ffunction-sections -mavx512f -fplugin-arg-tp-exit -S %s -o - | FileCheck %s
typedef float V8 __attribute__((vector_size(32)));
typedef float V16 __attribute__((vector_size(64)));
// The last three bytes of each record are its size, slot and needs.
// CHECK-LABEL: {{^}}x87:
// CHECK: .byte 5{{$}}
// CHECK-NEXT: .byte 0
// CHECK-NEXT: .byte 16
long double x87(void) { return 1; }
// CHECK-LABEL: {{^}}pair:
// CHECK: .byte 5{{$}}
// CHECK-NEXT: .byte 0
// CHECK-NEXT: .byte 16
_Complex long double pair(void) { return 1; }
// CHECK-LABEL: {{^}}v256:
// CHECK: .byte 5{{$}}
// CHECK-NEXT: .byte 0
// CHECK-NEXT: .byte 1{{$}}
V8 v256(V8 X) { return X; }
// CHECK-LABEL: {{^}}v512:
// CHECK: .byte 5{{$}}
// CHECK-NEXT: .byte 0
// CHECK-NEXT: .byte 3{{$}}
V16 v512(V16 X) { return X; }
// CHECK-LABEL: {{^}}other:
// CHECK: .byte 5{{$}}
// CHECK-NEXT: .byte 0
// CHECK-NEXT: .byte 32
__attribute__((preserve_most)) void other(void) {}
// The needs follow from the registers that the jump passes on, whatever its target is.
// CHECK-LABEL: {{^}}tail:
// CHECK: .byte 34
// CHECK-NEXT: .byte 5{{$}}
// CHECK-NEXT: .byte 0
// CHECK-NEXT: .byte 3{{$}}
void tail(V16 X, void (*F)(V16)) { F(X); }
// CHECK-LABEL: {{^}}plain:
// CHECK: .byte 34
// CHECK-NEXT: .byte 5{{$}}
// CHECK-NEXT: .byte 0
// CHECK-NEXT: .byte 0
void plain(V16 X, void (*F)(int)) { F(1); }
