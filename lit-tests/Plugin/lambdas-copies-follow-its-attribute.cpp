// The conversion of a lambda to a pointer creates a copy of its function. If this fails,
// tp_never at a lambda leaves the copy's sled, or tp_entry does not reach the copy.
// RUN: %clangxx -std=c++20 -O1 -fplugin-arg-tp-entry=2 -S -emit-llvm %s -o - | FileCheck %s
// CHECK: define {{.*}}5never{{.*}}__invoke{{.*}} #[[NEVER:[0-9]+]]
// CHECK: define {{.*}}7generic{{.*}}__invoke{{.*}} #[[NEVER]]
// CHECK: define {{.*}}5entry{{.*}}__invoke{{.*}} #[[ENTRY:[0-9]+]]
// CHECK: attributes #[[NEVER]] = {{.*}}"tp-never"
// CHECK: attributes #[[ENTRY]] = {{.*}}"tp-entry"="5,0"
int work(int);
void call(int (*)(int));
void never() { call([](int X) __attribute__((tp_never)) { return work(X) + 1; }); }
void generic() { call([](auto X) __attribute__((tp_never)) { return work(X) + 2; }); }
void entry() { call([](int X) __attribute__((tp_entry(5))) { return work(X) + 3; }); }
