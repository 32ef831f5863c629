// If this fails, an object with a thousand functions has a thousand tables.
// RUN: %clang -fplugin-arg-tp-entry=2 -c %s -o %t.o
// RUN: llvm-readelf -S %t.o | FileCheck %s --check-prefix=ONE
// ONE: {{\[ *}}[[#TEXT:]]] .text
// The empty section for the note comes first.
// ONE: tp_sleds PROGBITS {{.*}} 000000 00 ALG
// ONE: tp_sleds PROGBITS {{.*}} 000024 00 AL [[#TEXT]] 0 4
// ONE-NOT: {{ }}tp_sleds
// RUN: %clang -ffunction-sections -fplugin-arg-tp-entry=2 -c %s -o %t.o
// RUN: llvm-readelf -S %t.o | FileCheck %s --check-prefix=EACH
// EACH-COUNT-3: {{ }}tp_sleds {{.*}} 00000c
// RUN: %clang -ffunction-sections -fno-unique-section-names -fplugin-arg-tp-entry=2 -c %s -o %t.o
// RUN: llvm-readelf -S %t.o | FileCheck %s --check-prefix=EACH
void f(void) {}
void g(void) {}
void h(void) {}
