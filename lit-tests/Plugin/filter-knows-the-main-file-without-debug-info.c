// If this fails, `src:` matches nothing in a program without debug info.
// RUN: split-file %s %t
// RUN: %clang -fplugin-arg-tp-entry=2 -fplugin-arg-tp-filter=%t/filter -S -emit-llvm %t/a.c -o - | FileCheck %s
// RUN: %clang -fplugin-arg-tp-entry=2 -fplugin-arg-tp-filter=%t/filter -S -emit-llvm %t/b.c -o - | FileCheck %s --check-prefix=OTHER
// CHECK-NOT: "tp-entry"
// CHECK: "tp-never"
// OTHER-NOT: "tp-never"
// OTHER: "tp-entry"="2,0"
//--- a.c
void f(void) {}
//--- b.c
void f(void) {}
//--- filter
[never]
src:*/a.c
