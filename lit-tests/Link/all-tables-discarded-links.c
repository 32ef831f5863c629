// If this fails, a module whose instrumented code is all unused does not link.
// REQUIRES: lld, gold, mold, bfd
// RUN: %clang -O2 -fPIC -ffunction-sections -fvisibility=hidden -fplugin-arg-tp-entry=2 -c %s -o %t.o
// RUN: %plain_clang -shared %use_lld      -Wl,--gc-sections %t.o -o %t.so
// RUN: %check_linked %t.so | FileCheck %s
// RUN: %plain_clang -shared -fuse-ld=bfd  -Wl,--gc-sections,-z,start-stop-gc %t.o -o %t.so
// RUN: %check_linked %t.so | FileCheck %s
// RUN: %plain_clang -shared -fuse-ld=gold -Wl,--gc-sections %t.o -o %t.so
// RUN: %plain_clang -shared -fuse-ld=mold -Wl,--gc-sections %t.o -o %t.so
// CHECK: no records
int unused(int X) { return X + 1; }
