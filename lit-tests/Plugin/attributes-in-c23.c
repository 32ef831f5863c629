// If this fails, the C23 spelling is ignored, or its arguments are ignored.
// clang 16 has no -std=c23.
// REQUIRES: llvm-at-least-17
// RUN: %clang -std=c23 -Werror -S -emit-llvm %s -o - | FileCheck %s
// CHECK: define{{.*}} @f({{.*}} [[A:#[0-9]+]]
[[tp::entry(5)]] int f(int X) { return X; }
// CHECK: define{{.*}} @n({{.*}} [[N:#[0-9]+]]
[[tp::never]] int n(int X) { return X; }
// CHECK: define{{.*}} @a({{.*}} [[S:#[0-9]+]]
[[tp::always]] int a(int X) { return X; }
// CHECK: define{{.*}} @o({{.*}} [[O:#[0-9]+]]
[[tp::opaque]] int o(int X) { return X; }
// CHECK: attributes [[A]] = {{.*}}"tp-entry"="5,0"
// CHECK: attributes [[N]] = {{.*}}"tp-never"
// CHECK: attributes [[S]] = {{.*}}"tp-entry"="2,0"
// CHECK: attributes [[O]] = {{.*}}"tp-opaque"
