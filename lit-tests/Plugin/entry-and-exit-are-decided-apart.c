// If this fails, an attribute for one kind of sled also changes the other kind.
// RUN: printf "[never]\nfun:never*\n" > %t.list
// RUN: %clang -O1 -fplugin-arg-tp-entry=2 -fplugin-arg-tp-exit -fplugin-arg-tp-filter=%t.list -S -emit-llvm %s -o - | FileCheck %s
// CHECK: define {{.*}}@both({{.*}} #[[BOTH:[0-9]+]]
void both(void) {}
// CHECK: define {{.*}}@no_entry({{.*}} #[[EXIT:[0-9]+]]
__attribute__((tp_entry(0))) void no_entry(void) {}
// CHECK: define {{.*}}@five({{.*}} #[[FIVE:[0-9]+]]
__attribute__((tp_entry(5))) void five(void) {}
// CHECK: define {{.*}}@never_but_exit({{.*}} #[[EXIT]]
__attribute__((tp_exit)) void never_but_exit(void) {}
// CHECK: define {{.*}}@never({{.*}} #[[NEVER:[0-9]+]]
void never(void) {}
// CHECK-DAG: attributes #[[BOTH]] = { {{.*}}"tp-entry"="2,0" "tp-exit"
// CHECK-DAG: attributes #[[FIVE]] = { {{.*}}"tp-entry"="5,0" "tp-exit"
// CHECK-DAG: attributes #[[NEVER]] = { {{.*}}"tp-never"
// CHECK-DAG: attributes #[[EXIT]] = { {{.*}}"tp-exit"
