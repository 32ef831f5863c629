// If this fails, an LTO link drops every sled and nobody learns why.
// REQUIRES: lld
// RUN: %clang -O2 -flto -fplugin-arg-tp-entry=2 -c %s -o %t.o
// RUN: not %plain_clang -flto %use_lld %t.o -o %t 2>&1 | FileCheck %s
// RUN: not %plain_clang -flto -shared %use_lld %t.o -o %t 2>&1 | FileCheck %s
// CHECK: undefined hidden symbol: tp: this LTO link needs -Wl,--load-pass-plugin=libtppass.so and lld
int main(void) { return 0; }
