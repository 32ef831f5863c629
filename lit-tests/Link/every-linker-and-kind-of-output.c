// If this fails, a linker drops the table, adds dynamic relocations or refuses.
// REQUIRES: x86_64-host, lld, gold, mold, bfd
// RUN: %clang -O2 -fPIC -fplugin-arg-tp-entry=2 -c %s -o %t.o
// DEFINE: %{with} =
// DEFINE: %{how} =
// DEFINE: %{check} = %plain_clang %{with} %{how} %t.o -o %t && %run %t && \
// DEFINE:   llvm-readelf -S -n %t | FileCheck %s
// REDEFINE: %{with} = %use_lld
// RUN: %{check}
// REDEFINE: %{how} = -static
// RUN: %{check}
// REDEFINE: %{how} = -static-pie
// RUN: %{check}
// REDEFINE: %{with} = -fuse-ld=bfd
// RUN: %{check}
// REDEFINE: %{how} = -static
// RUN: %{check}
// REDEFINE: %{how} = -no-pie
// RUN: %{check}
// REDEFINE: %{how} = -pie
// RUN: %{check}
// REDEFINE: %{with} = -fuse-ld=gold
// RUN: %{check}
// REDEFINE: %{how} = -static
// RUN: %{check}
// REDEFINE: %{with} = -fuse-ld=mold
// RUN: %{check}
// REDEFINE: %{how} = -static-pie
// RUN: %{check}
// REDEFINE: %{how} = -pie
// RUN: %{check}
// CHECK-DAG: {{ }}tp_sleds {{.*}} 000018 00 A
// CHECK-DAG: tp 0x00000010
__attribute__((noinline)) int f(int X) { return X - 1; }
int main(int Count, char **Names) { return f(Count); }
