// If this fails, the annotations of another tool are removed together with ours, or ours
// are not removed and keep inlined functions alive.
// RUN: %clang -O2 -S -emit-llvm %s -o - | FileCheck %s
// CHECK: c"theirs\00"
// CHECK: @llvm.global.annotations = {{.*}}[1 x {{.*}}@kept
// CHECK-NOT: tp.attribute
// CHECK-NOT: define{{.*}}@inlined
__attribute__((annotate("theirs"))) void kept(void) {}
__attribute__((tp_entry(2))) static inline int inlined(int X) { return X + 1; }
__attribute__((tp_entry(2))) int user(int X) { return inlined(X); }
