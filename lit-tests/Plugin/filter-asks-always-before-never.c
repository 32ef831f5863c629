// If this fails, [always] cannot make exceptions of a wide [never], whatever the
// order in the file.
// RUN: split-file %s %t
// RUN: %clang -fplugin-arg-tp-entry=2 -fplugin-arg-tp-filter=%t/filter -S -emit-llvm %t/a.c -o - | FileCheck %s
// RUN: %clang -fplugin-arg-tp-entry=2 -fplugin-arg-tp-filter=%t/turned -S -emit-llvm %t/a.c -o - | FileCheck %s
// CHECK: define{{.*}} @f_kept({{.*}} [[A:#[0-9]+]]
// CHECK: define{{.*}} @f_other({{.*}} [[B:#[0-9]+]]
// CHECK: attributes [[A]] = {{.*}}"tp-entry"="2,0"
// CHECK: attributes [[B]] = {{.*}}"tp-never"
//--- a.c
void f_kept(void) {}
void f_other(void) {}
//--- filter
[never]
fun:f_*
[always]
fun:f_kept
//--- turned
[always]
fun:f_kept
[never]
fun:f_*
