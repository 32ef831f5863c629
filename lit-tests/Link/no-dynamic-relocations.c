// If this fails, each sled costs time and private memory at program start.
// REQUIRES: lld, gold, mold, bfd
// RUN: %clang -O2 -fPIC -fplugin-arg-tp-entry=2 -c %s -o %t.o
// RUN: %plain_clang -O2 -fPIC -c %s -o %t.ref.o
// DEFINE: %{with} = %use_lld
// DEFINE: %{compare} = %plain_clang -shared %{with} %t.o -o %t.so && \
// DEFINE:   %plain_clang -shared %{with} %t.ref.o -o %t.ref.so && \
// DEFINE:   llvm-readelf -r %t.so | grep -c R_X86_64 > %t.count && \
// DEFINE:   llvm-readelf -r %t.ref.so | grep -c R_X86_64 > %t.ref.count && cmp %t.count %t.ref.count
// RUN: %{compare}
// REDEFINE: %{with} = -fuse-ld=bfd
// RUN: %{compare}
// REDEFINE: %{with} = -fuse-ld=gold
// RUN: %{compare}
// REDEFINE: %{with} = -fuse-ld=mold
// RUN: %{compare}
__attribute__((visibility("default"))) int f(int X) { return X - 1; }
__attribute__((visibility("default"))) int g(int X) { return f(X); }
