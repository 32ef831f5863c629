// If this fails, a program whose build adds the plugin a second time, for
// example from an install folder, does not compile.
// RUN: mkdir -p %t && cp %plugin %passplugin %t
// RUN: %clang -fplugin=%t/libtp.so -fpass-plugin=%t/libtppass.so -fplugin-arg-tp-entry=2 -c %s -o %t.o 2>&1 | count 0
// RUN: llvm-readelf -S %t.o | FileCheck %s
// CHECK-COUNT-1: {{ }}tp_sleds {{.*}} 00000c
__attribute__((tp_entry(2))) void f(void) {}
