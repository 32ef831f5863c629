// If this fails, -ftp-entry=2,0 costs more bytes than the slot, its padding and the sled.
// RUN: %clang -Oz -fplugin-arg-tp-entry=2,0 -c %s -o %t.o
// RUN: %plain_clang -Oz -c %s -o %t.ref.o
// RUN: llvm-readelf -S %t.o     | FileCheck %s --check-prefix=WITH
// RUN: llvm-readelf -S %t.ref.o | FileCheck %s --check-prefix=WITHOUT
// Four functions of 4 bytes take 16 bytes, plus 8 bytes for each sled.
// WITHOUT: .text {{.*}} 000010
// WITH: .text {{.*}} 000030
int a(int X) { return X + 1; }
int b(int X) { return X + 2; }
int c(int X) { return X + 3; }
int d(int X) { return X + 4; }
