// An object with -ffat-lto-objects is linked with and without LTO. If this fails, it has sleds in
// only one of the two links, or one of the links fails.
// REQUIRES: lld, x86_64-host
// DEFINE: %{lto} = -flto=full
// DEFINE: %{sleds} = llvm-readelf -S %t | FileCheck %s
// DEFINE: %{check} = %clang -O2 %{lto} -ffat-lto-objects -fplugin-arg-tp-entry=2 -c %s -o %t.o && \
// DEFINE:   llvm-readelf -SW %t.o | FileCheck %s --check-prefixes=CHECK,FAT && \
// DEFINE:   %plain_clang %use_lld %t.o -o %t && %run %t && %{sleds} && \
// DEFINE:   %plain_clang %{lto} -ffat-lto-objects %use_lld -Wl,--load-pass-plugin=%passplugin %t.o -o %t && %run %t && %{sleds} && \
// DEFINE:   not %plain_clang %{lto} -ffat-lto-objects %use_lld %t.o -o %t 2>&1 | FileCheck %s --check-prefix=GUARD
// RUN: %{check}
// REDEFINE: %{lto} = -flto=thin
// RUN: %{check}
// CHECK: tp_sleds {{.*}} 000018
// FAT: .llvm.lto
// GUARD: undefined hidden symbol: tp:
__attribute__((noinline)) int f(int X) { return X - 1; }
int main(int Count, char **Names) { return f(Count); }
