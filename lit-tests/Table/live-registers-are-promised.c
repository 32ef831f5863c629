// If this fails, a trampoline saves too many registers, or loses an argument. The
// checked byte is kind + 4 * live + 16 * shape, plus 128 for no vectors.
// RUN: %clang --target=x86_64-linux-gnu -O1 -fplugin-arg-tp-entry=2 -S %s -o - | FileCheck --check-prefixes=CHECK,X86 %s
// RUN: %clang --target=aarch64-linux-gnu -O1 -fplugin-arg-tp-entry=2 -S %s -o - | FileCheck --check-prefixes=CHECK,ARM %s
struct Two { long A; double B; };
struct Big { long A[9]; };
typedef int V4 __attribute__((vector_size(16)));

// CHECK-LABEL: {{^}}none:
// CHECK: .section tp_sleds
// X86:   .byte 148
// ARM:   .byte 196
void none(void) {}
// CHECK-LABEL: {{^}}one:
// CHECK: .section tp_sleds
// X86:   .byte 148
// ARM:   .byte 196
int one(int A) { return A; }
// CHECK-LABEL: {{^}}two:
// CHECK: .section tp_sleds
// X86:   .byte 152
// ARM:   .byte 200
int two(int A, char *B) { return *B; }
// CHECK-LABEL: {{^}}four:
// CHECK: .section tp_sleds
// X86:   .byte 156
// ARM:   .byte 204
int four(int A, int B, int C, int D) { return D; }
// CHECK-LABEL: {{^}}mixed:
// CHECK: .section tp_sleds
// X86:   .byte 20{{$}}
// ARM:   .byte 68{{$}}
int mixed(int A, double B) { return A; }
// The address of a result in memory is in rdi like an argument, but on AArch64 in x8.
// CHECK-LABEL: {{^}}big:
// CHECK: .section tp_sleds
// X86:   .byte 152
// ARM:   .byte 64{{$}}
struct Big big(int A) { return (struct Big){{A}}; }
// CHECK-LABEL: {{^}}wide_integer:
// CHECK: .section tp_sleds
// X86:   .byte 152
// ARM:   .byte 64{{$}}
int wide_integer(int A, __int128 B) { return B >> 64; }
// CHECK-LABEL: {{^}}pair:
// CHECK: .section tp_sleds
// X86:   .byte 20{{$}}
int pair(struct Two P) { return P.A; }
// CHECK-LABEL: {{^}}variadic:
// CHECK: .section tp_sleds
// X86:   .byte 16{{$}}
// ARM:   .byte 64{{$}}
int variadic(int A, ...) { return A; }
// CHECK-LABEL: {{^}}vector:
// CHECK: .section tp_sleds
// X86:   .byte 16{{$}}
// ARM:   .byte 64{{$}}
int vector(V4 V) { return V[0]; }
// CHECK-LABEL: {{^}}other:
// CHECK: .section tp_sleds
// X86:   .byte 16{{$}}
// ARM:   .byte 64{{$}}
__attribute__((preserve_most)) void other(int A) {}
