// If this fails, the runtime does not find the table of a module.
// RUN: %clang -fplugin-arg-tp-entry=2 -c %s -o %t.o
// RUN: llvm-readelf -S -r -s %t.o | FileCheck %s
// CHECK: {{\[ *}}[[#NOTE:]]] .note.tp NOTE {{.*}} 000020 00 AGR 0 0 4
// CHECK: tp_sleds PROGBITS {{.*}} 000000 00 ALG [[#NOTE]] 0 4
// CHECK: 10 {{.*}} R_X86_64_PC64 {{.*}} __start_tp_sleds + 0
// CHECK: 18 {{.*}} R_X86_64_PC64 {{.*}} __stop_tp_sleds + 0
// CHECK: WEAK HIDDEN UND __start_tp_sleds
// CHECK: WEAK HIDDEN UND __stop_tp_sleds
// RUN: llvm-objdump -s -j .note.tp %t.o | FileCheck %s --check-prefix=BYTES
// BYTES: 0000 03000000 10000000 01000000 74700000
void f(void) {}
