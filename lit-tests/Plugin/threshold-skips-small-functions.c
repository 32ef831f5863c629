// If this fails, -ftp-instruction-threshold does not skip tiny functions, or skips tiny
// functions with a loop or an attribute.
// RUN: %clang -O1 -fplugin-arg-tp-entry=2 -fplugin-arg-tp-instruction-threshold=20 -c %s -o %t.o
// RUN: llvm-objdump --no-show-raw-insn -d %t.o | FileCheck %s
// CHECK-LABEL: <tiny>:
// CHECK-NEXT: leal
int tiny(int X) { return X + 1; }
// CHECK-LABEL: <loop>:
// CHECK-NEXT: nop
void loop(volatile int *X) { while (*X); }
// CHECK-LABEL: <chosen>:
// CHECK-NEXT: nop
__attribute__((tp_always)) int chosen(int X) { return X + 1; }
