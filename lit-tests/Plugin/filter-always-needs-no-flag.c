// If this fails, a filter file alone cannot choose functions.
// RUN: split-file %s %t
// RUN: %clang -fplugin-arg-tp-filter=%t/filter -S -emit-llvm %t/a.c -o - | FileCheck %s
// CHECK: define{{.*}} @f({{.*}} [[A:#[0-9]+]]
// CHECK: define{{.*}} @g({{.*}} [[B:#[0-9]+]]
// CHECK: attributes [[A]] = {{.*}}"tp-entry"="2,0"
// CHECK: attributes [[B]] =
// CHECK-NOT: tp-entry
//--- a.c
void f(void) {}
void g(void) {}
//--- filter
[always]
fun:f
