// If this fails, an inline function that two files define leaves a record for dropped
// code, or the link fails.
// GNU as refuses what clang 16 writes for sections that are linked to others and in groups.
// REQUIRES: llvm-at-least-17
// RUN: %clangxx -fplugin-arg-tp-entry=2 -c %s -o %t.o
// RUN: llvm-readelf -g %t.o | FileCheck %s
// CHECK: COMDAT group section {{.*}}[__tp_note_v1] contains
// CHECK-NOT: COMDAT
// CHECK: .note.tp
// CHECK: COMDAT group section {{.*}}[_Z1fv] contains
// CHECK-NOT: COMDAT
// CHECK: tp_sleds
// RUN: %clangxx -fplugin-arg-tp-entry=2 -S %s -o - | FileCheck %s --check-prefix=ASM
// ASM: .section tp_sleds,"ao",@progbits,.Ltp_sled0{{$}}
// ASM: .section tp_sleds,"aoG",@progbits,.Ltp_sled1,_Z1fv,comdat{{$}}
inline void f() {}
void g() { f(); }
