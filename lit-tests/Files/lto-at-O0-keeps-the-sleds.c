// If this fails, LTO without optimisation, at compilation or at the link, loses the sleds.
// REQUIRES: lld, x86_64-host
// DEFINE: %{lto} = -flto=full
// DEFINE: %{more} =
// DEFINE: %{check} = rm -rf %t && mkdir -p %t && cd %t && \
// DEFINE:   %clang -O0 %{lto} %{more} -fplugin-arg-tp-entry=2 -c %s -o a.o && \
// DEFINE:   %plain_clang -O0 %{lto} %use_lld -Wl,--lto-O0,--load-pass-plugin=%passplugin a.o -o out && %run ./out && \
// DEFINE:   llvm-readelf -S out | FileCheck %s
// RUN: %{check}
// REDEFINE: %{lto} = -flto=thin
// RUN: %{check}
// With -save-temps, clang compiles through bitcode that no pass has changed.
// REDEFINE: %{more} = -save-temps
// RUN: %{check}
// CHECK: tp_sleds {{.*}} 000018
int f(int X) { return X - 1; }
int main(int Count, char **Names) { return f(Count); }
