// If this fails, libtprt finds no room for a veneer, or finds other data there. The six nops
// nearest to the label are the slot, and kcfi's data are between the slot and the label.
// RUN: %clang --target=aarch64-linux-gnu -O2 -fplugin-arg-tp-entry=9,7 -S %s -o - | FileCheck %s -DSLOT=24
// RUN: %clang --target=aarch64-linux-gnu -O2 -fplugin-arg-tp-entry=7,6 -fsanitize=kcfi -S %s -o - | FileCheck %s -DSLOT=28
// RUN: %clang --target=aarch64-linux-gnu -O2 -fplugin-arg-tp-entry=6,5 -S %s -o - | FileCheck %s -DSLOT=0
// RUN: %clang --target=aarch64-linux-gnu -O2 -fplugin-arg-tp-entry=7,6 -fplugin-arg-tp-slot=none -S %s -o - | FileCheck %s -DSLOT=0
// CHECK:      .word .Ltp_entry0-
// CHECK-NEXT: .byte 196
// CHECK-NEXT: .byte {{[48]}}
// CHECK-NEXT: .byte [[SLOT]]
int f(int X) { return X + 1; }
