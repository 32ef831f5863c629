// If this fails, libtprt finds no room for the veneer of an exit, or two sleds share a veneer. If there are enough
// nops, each exit has its own six nops before those of the entry. A jump through x16 has no nops, because a veneer
// changes x16.
// RUN: %clang --target=aarch64-linux-gnu -O2 -fplugin-arg-tp-entry=19,18 -fplugin-arg-tp-exit -S %s -o - | FileCheck %s --check-prefixes=CHECK,PLAIN
// RUN: %clang --target=aarch64-linux-gnu -O2 -fplugin-arg-tp-entry=19,18 -fplugin-arg-tp-exit -mbranch-protection=bti -S %s -o - | FileCheck %s --check-prefixes=CHECK,BTI
// RUN: %clang --target=aarch64-linux-gnu -O2 -fplugin-arg-tp-entry=19,18 -fplugin-arg-tp-exit -fplugin-arg-tp-slot=none -S %s -o - | FileCheck %s --check-prefix=NONE
int other(int), another(int);
int three(int X) {
  if (X == 1)
    return other(X);
  if (X == 2)
    return another(X);
  return X;
}
int viaPointer(int (*Function)(int)) { return Function(1); }
// NONE-NOT: .byte {{24|48|72|96}}{{$}}
// Each record's traits, size, slot and needs.
// CHECK: .section tp_sleds
// CHECK: .word .Ltp_entry0-
// CHECK-NEXT: .byte {{[0-9]+}}
// CHECK-NEXT: .byte {{[48]}}
// CHECK-NEXT: .byte 24
// CHECK: .word .Ltp_exit{{.*}}-
// CHECK-NEXT: .word
// CHECK-NEXT: .byte {{[0-9]+}}
// CHECK-NEXT: .byte 4
// CHECK-NEXT: .byte 48
// CHECK: .word .Ltp_exit{{.*}}-
// CHECK-NEXT: .word
// CHECK-NEXT: .byte {{[0-9]+}}
// CHECK-NEXT: .byte 4
// CHECK-NEXT: .byte 72
// CHECK: .word .Ltp_exit{{.*}}-
// CHECK-NEXT: .word
// CHECK-NEXT: .byte {{[0-9]+}}
// CHECK-NEXT: .byte 4
// CHECK-NEXT: .byte 0
// CHECK: .word .Ltp_exit{{.*}}-
// CHECK-NEXT: .word
// CHECK-NEXT: .byte {{[0-9]+}}
// CHECK-NEXT: .byte 4
// PLAIN-NEXT: .byte 48
// BTI-NEXT: .byte 0
