// If this fails, an object that distcc's server compiles has no sleds, or filters match
// the name of the server's copy of the file.
// REQUIRES: distcc, tp-clang, userns
// RUN: rm -rf %t && mkdir %t && cd %t && cp %s a.c
// RUN: printf '[never]\nsrc:a.c\nsrc:*.i\n[always]\nfun:g\n' > filter
// DEFINE: %{more} = -ftp-exit
// DEFINE: %{check} = %tp_clang -O2 -ftp-entry=2 %{more} -c a.c -o local.o && \
// DEFINE:   env DISTCC_FALLBACK=0 %python %S/Inputs/with-distccd.py \
// DEFINE:     distcc %tp_clang -O2 -ftp-entry=2 %{more} -c a.c -o remote.o | FileCheck %s && \
// DEFINE:   cmp local.o remote.o && llvm-readelf -S remote.o | FileCheck %s --check-prefix
// RUN: %{check} FOUR
// REDEFINE: %{more} = -ftp-filter=%t/filter
// RUN: %{check} ONE
// CHECK: compiled by the server: 1
// FOUR: tp_sleds {{.*}} 000030
// ONE: tp_sleds {{.*}} 00000c
int f(int X) { return X + 1; }
int g(int X) { return X + 2; }
