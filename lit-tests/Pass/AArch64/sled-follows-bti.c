// If this fails, an indirect call faults under BTI: paciasp is a landing pad only if it
// is the first instruction, and the sled comes before it.
// RUN: %clang --target=aarch64-linux-gnu -O2 -mbranch-protection=standard -fplugin-arg-tp-entry=1 -c %s -o %t.o
// RUN: llvm-objdump --no-show-raw-insn -d %t.o | FileCheck %s
// CHECK:      <f>:
// CHECK-NEXT: bti c
// CHECK-NEXT: nop
// CHECK-NEXT: add
// CHECK:      <g>:
// CHECK-NEXT: bti c
// CHECK-NEXT: nop
// CHECK-NEXT: paciasp
void h(void);
int f(int X) { return X + 1; }
void g(void) { h(); h(); }
