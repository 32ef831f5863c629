// If this fails, an object file doubles in size: relocations take four times as much room as
// a record, and only the first record of a text section needs them.
// GNU as refuses what clang 16 writes for sections that are linked to others and in groups.
// REQUIRES: llvm-at-least-17
// DEFINE: %{check} = llvm-readelf -r %t.o | FileCheck %s --check-prefix=RELOC && \
// DEFINE:   llvm-readelf -x tp_sleds %t.o | FileCheck %s
// RUN: %clang -O1 -fplugin-arg-tp-entry=2 -fplugin-arg-tp-exit -c %s -o %t.o
// RUN: %{check}
// RUN: %clang -O1 -fno-integrated-as -fplugin-arg-tp-entry=2 -fplugin-arg-tp-exit -c %s -o %t.o
// RUN: %{check}
// RELOC: relatp_sleds' at {{.*}} contains 2 entries
// The exit is 5 bytes after the entry, so its function is 5 bytes back. The next entry is 0x13
// bytes after that exit, and is at its function's label.
// CHECK:      0x00000000 00000000 00000000 {{......}}00 05000000
// CHECK-NEXT: 0x00000010 fbffffff {{......}}80 13000000 00000000
// CHECK-NEXT: 0x00000020 {{......}}80
int f(int X) { return X + 1; }
int g(int X) { return X + 2; }
