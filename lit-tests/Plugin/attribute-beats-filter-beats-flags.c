// If this fails, a filter file overrules an attribute in the source, or a flag overrules a filter
// file.
// RUN: split-file %s %t
// RUN: %clang -fplugin-arg-tp-entry=2 -fplugin-arg-tp-filter=%t/filter -S -emit-llvm %t/a.c -o - | FileCheck %s
// CHECK-DAG: define{{.*}} @by_flag({{.*}} [[FLAG:#[0-9]+]]
// CHECK-DAG: define{{.*}} @by_filter({{.*}} [[NEVER:#[0-9]+]]
// CHECK-DAG: define{{.*}} @by_attribute({{.*}} [[ATTR:#[0-9]+]]
// CHECK-DAG: define{{.*}} @kept_out({{.*}} [[NEVER]]
// CHECK-DAG: attributes [[FLAG]] = {{.*}}"tp-entry"="2,0"
// CHECK-DAG: attributes [[ATTR]] = {{.*}}"tp-entry"="6,0"
// CHECK-DAG: attributes [[NEVER]] = {{.*}}"tp-never"
//--- a.c
void by_flag(void) {}
void by_filter(void) {}
__attribute__((tp_entry(6))) void by_attribute(void) {}
__attribute__((tp_never)) void kept_out(void) {}
//--- filter
[never]
fun:by_filter
fun:by_attribute
[always]
fun:kept_out
