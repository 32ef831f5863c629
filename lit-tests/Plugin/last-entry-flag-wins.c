// If this fails, a makefile cannot override an earlier flag.
// RUN: %clang -fplugin-arg-tp-entry=2 -fplugin-arg-tp-entry=7,1 -S -emit-llvm %s -o - | FileCheck %s
// CHECK: "tp-entry"="7,1"
void f(void) {}
