// If this fails, a kcfi check reads the slot, or the sled jumps into the type.
// RUN: %clang -O2 -fsanitize=kcfi -fplugin-arg-tp-entry=2 -c %s -o %t.o
// RUN: llvm-objdump -d %t.o | FileCheck %s
// CHECK:      cc {{.*}}int3
// CHECK-NEXT: cc {{.*}}int3
// CHECK-NEXT: cc {{.*}}int3
// CHECK-NEXT: cc {{.*}}int3
// CHECK-NEXT: cc {{.*}}int3
// CHECK:      <__cfi_f>:
// CHECK-COUNT-3: 90 {{.*}}nop
// CHECK-NEXT: b8 {{.*}}movl
// CHECK-EMPTY:
// CHECK-NEXT: {{.*}} <f>:
// CHECK-NEXT: 66 90
// From the slot to the label: 5 bytes of slot, 3 of nops, and 5 of the type.
// RUN: llvm-objdump -s -j tp_sleds %t.o | FileCheck %s --check-prefix=RECORD
// RECORD: 0000 00000000 00000000 94020d00
int f(int X) { return X + 1; }
