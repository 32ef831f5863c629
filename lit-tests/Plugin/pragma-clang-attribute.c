// If this fails, the attributes cannot be applied to a region of a file.
// clang 16 takes no [[tp::opaque]] in this pragma.
// REQUIRES: llvm-at-least-17
// RUN: %clang -Werror -S -emit-llvm %s -o - | FileCheck %s
#pragma clang attribute push(__attribute__((tp_entry(4, 1))), apply_to = function)
// CHECK: define{{.*}} @inside({{.*}} [[A:#[0-9]+]]
void inside(void) {}
#pragma clang attribute pop
// CHECK: define{{.*}} @outside({{.*}} [[B:#[0-9]+]]
void outside(void) {}
#pragma clang attribute push([[tp::opaque]], apply_to = function)
// CHECK: define{{.*}} @hidden({{.*}} [[C:#[0-9]+]]
void hidden(void) {}
#pragma clang attribute pop
// CHECK: attributes [[A]] = {{.*}}"tp-entry"="4,1"
// CHECK: attributes [[B]] =
// CHECK-NOT: "tp-entry"
// CHECK: attributes [[C]] = {{.*}}"tp-opaque"
