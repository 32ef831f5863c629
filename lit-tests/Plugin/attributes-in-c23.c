// If this fails, C23's spelling is dropped, or its arguments are.
// RUN: %clang -std=c23 -Werror -S -emit-llvm %s -o - | FileCheck %s
// CHECK: define{{.*}} @f({{.*}} [[A:#[0-9]+]]
[[tp::entry(5)]] int f(int X) { return X; }
// CHECK: attributes [[A]] = {{.*}}"tp-entry"="5,0"
