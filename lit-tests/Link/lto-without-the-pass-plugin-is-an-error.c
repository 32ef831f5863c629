// If this fails, an LTO link without the plugin silently drops every sled.
// REQUIRES: lld
// RUN: %clang -O2 -flto -fplugin-arg-tp-entry=2 -c %s -o %t.o
// RUN: not %plain_clang -flto %use_lld %t.o -o %t 2>&1 | FileCheck %s
// RUN: not %plain_clang -flto -shared %use_lld %t.o -o %t 2>&1 | FileCheck %s
// CHECK: undefined hidden symbol: tp: code generated from bitcode without libtppass.so: compile with -fplugin=libtp.so, and link LTO by lld with -Wl,--load-pass-plugin=libtppass.so
int main(void) { return 0; }
