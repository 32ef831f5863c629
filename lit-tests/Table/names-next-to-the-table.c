// If this fails, -ftp-names stores no names, or stores
// them elsewhere than docs/reference/table-abi.md says.
// RUN: %clang --target=x86_64-linux-gnu -O1 -ffunction-sections -fplugin-arg-tp-entry=2 -fplugin-arg-tp-names -c %s -o %t.o
// RUN: llvm-readelf -SWn %t.o | FileCheck %s
// RUN: llvm-objdump -s -j .note.tp %t.o | FileCheck %s --check-prefix=NOTE
// RUN: llvm-objdump -s -j tp_names %t.o | FileCheck %s --check-prefix=BYTES
// RUN: llvm-readobj -r %t.o | FileCheck %s --check-prefix=RELOC
// tp_names is read-only, allocated, ordered like the code, and aligned to four bytes.
// CHECK: [[#%u,ABC:]]] .text.abc
// CHECK: tp_names PROGBITS {{.*}} 000008 00 AL [[#ABC]] 0 4
// CHECK: [[#%u,ABCD:]]] .text.abcd
// CHECK: tp_names PROGBITS {{.*}} 00000c 00 AL [[#ABCD]] 0 4
// NOTE: 0000 03000000 10000000 01000000 74700000
// NOTE: 0000 03000000 10000000 02000000 74700000
// BYTES: 0000 00000000 61626300
// BYTES: 0000 00000000 61626364 00000000
// RELOC: .relatp_names {
// RELOC-NEXT: R_X86_64_PC32 .text.abc 0x
void abc(int A) {}
void abcd(int A) {}
__attribute__((tp_never)) void without(int A) {}
