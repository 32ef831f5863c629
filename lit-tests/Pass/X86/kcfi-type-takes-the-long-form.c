// If this fails, a kcfi check reads bytes other than the type, or the sled has only 2 bytes although
// the type is between its slot and the label. The removal of a uprobe would then leave 66 f4, a HLT.
// RUN: %clang -O2 -fsanitize=kcfi -fplugin-arg-tp-entry=2 -c %s -o %t.o
// RUN: llvm-objdump -d %t.o | FileCheck %s
// CHECK:      <__cfi_f>:
// CHECK-COUNT-11: 90 {{.*}}nop
// CHECK-NEXT: b8 {{.*}}movl
// CHECK-EMPTY:
// CHECK-NEXT: {{.*}} <f>:
// CHECK-NEXT: 0f 1f 44 00 00
// RUN: llvm-objdump -s -j tp_sleds %t.o | FileCheck %s --check-prefix=RECORD
// RECORD: 0000 00000000 00000000 a4050000
int f(int X) { return X + 1; }
