// If this fails, make does not rebuild when a filter file changes.
// RUN: echo "[never]" > %t.filter
// RUN: %clang -fplugin-arg-tp-entry=2 -fplugin-arg-tp-filter=%t.filter -MD -MF %t.d -c %s -o %t.o
// RUN: FileCheck %s < %t.d
// CHECK: filter-files-are-dependencies.c.tmp.filter
void f(void) {}
