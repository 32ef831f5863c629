// If this fails, a build that runs each backend of ThinLTO as a separate command, as
// Bazel does, loses its sleds. In these commands clang compiles from IR.
// REQUIRES: lld, x86_64-host
// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: %clang -O2 -flto=thin -fplugin-arg-tp-entry=2 -c %s -o a.o
// RUN: %plain_clang %use_lld -flto=thin -Wl,--thinlto-index-only,--load-pass-plugin=%passplugin a.o -o index
// DEFINE: %{backend} = -O2 -x ir a.o -fthinlto-index=a.o.thinlto.bc -c -o a.native.o
// RUN: %clang %{backend} && %plain_clang %use_lld a.native.o -o out && %run ./out
// RUN: llvm-readelf -S out | FileCheck %s
// The backend is often given the flags of the compilation again.
// RUN: %clang -fplugin-arg-tp-entry=2 %{backend} && llvm-readelf -S a.native.o | FileCheck %s
// CHECK: tp_sleds {{.*}} 000018
// RUN: %plain_clang %{backend}
// RUN: not %plain_clang %use_lld a.native.o -o out 2>&1 | FileCheck %s --check-prefix=GUARD
// GUARD: undefined hidden symbol: tp:
__attribute__((noinline)) int f(int X) { return X - 1; }
int main(int Count, char **Names) { return f(Count); }
