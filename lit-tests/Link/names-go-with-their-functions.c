// If this fails, names keep functions alive that --gc-sections would drop, or the names
// need relocations when the program starts.
// REQUIRES: lld, x86_64-host
// RUN: %clang -O1 -fPIE -ffunction-sections -fplugin-arg-tp-entry=2 -fplugin-arg-tp-names -c %s -o %t.o
// RUN: %plain_clang -pie %use_lld -Wl,--gc-sections -Wl,-z,start-stop-gc %t.o -o %t
// RUN: llvm-objdump -s -j tp_names %t | FileCheck %s --implicit-check-not=64726f70
// RUN: llvm-readelf -SlW %t | FileCheck %s --check-prefix=SECTION
// CHECK-DAG: 6d61696e
// CHECK-DAG: 6b657074
// SECTION: tp_names PROGBITS {{.*}} A
// SECTION-NOT: {{W.*tp_names|tp_names.*W}}
// RUN: llvm-readelf -r %t | FileCheck %s --check-prefix=RELOC
// RELOC-NOT: tp_names
__attribute__((tp_opaque)) int kept(int X) { return X; }
__attribute__((tp_opaque)) int dropped(int X) { return X; }
int main(int Count, char **Names) { return kept(Count); }
