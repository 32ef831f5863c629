// If this fails, an indirect call faults under CET, or the sled is before the
// landing pad.
// RUN: %clang -O2 -fcf-protection=branch -fplugin-arg-tp-entry=2 -c %s -o %t.o
// RUN: llvm-objdump -d %t.o | FileCheck %s
// CHECK:      <f>:
// CHECK-NEXT: f3 0f 1e fa endbr64
// CHECK-NEXT: {{[02468ace]}}: 66 90
// RUN: llvm-readelf -r %t.o | FileCheck %s --check-prefix=RELOC
// RELOC: section '.relatp_sleds'
// First the sled's address, then the label's, which is four bytes lower, because
// endbr64 is between them.
// RELOC-NEXT: Offset
// RELOC-NEXT: .text + c
// RELOC-NEXT: .text + 8
int f(int X) { return X + 1; }
