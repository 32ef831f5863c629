// If this fails, a handler may lose an argument. In ELFv2 each argument has a place in the parameter area, and an
// argument in a floating-point register uses up an integer register as well. So the second argument of `two` is
// in r4.
// DEFINE: %{with} = %clang --target=powerpc64le-linux-gnu -mcpu=pwr8 -O1 -fplugin-arg-tp-entry=1 -S %s -o -
// RUN: %{with} | FileCheck %s
// RUN: %{with} -msoft-float | FileCheck %s --check-prefix=SOFT
// Traits: 64 for the shape, 4 for one register, 8 for three, 12 for all arguments, 128 without vectors.
// CHECK: .section tp_sleds
// CHECK-COUNT-2: .long .Ltp_
// CHECK-NEXT: .byte 196
// CHECK: .long .Ltp_entry1-
// CHECK-NEXT: .byte 72
// CHECK: .long .Ltp_entry2-
// CHECK-NEXT: .byte 76
// CHECK: .long .Ltp_entry3-
// CHECK-NEXT: .byte 200
// A copy in memory may begin in registers: no promise.
// CHECK: .long .Ltp_entry4-
// CHECK-NEXT: .byte 64
// Quadwords begin at even places, so a place may be unused before them.
// CHECK: .long .Ltp_entry5-
// CHECK-NEXT: .byte 64
// SOFT: .long .Ltp_entry1-
// SOFT-NEXT: .byte 64
struct large { long Words[12]; };
struct pair { long A, B; };
long one(long A) { return A; }
long two(double A, long B) { return B; }
long four(double A, double B, double C, long D) { return D; }
long structure(struct pair P) { return P.B; }
long copy(struct large L) { return L.Words[11]; }
__int128 quad(long A, __int128 B) { return B; }
