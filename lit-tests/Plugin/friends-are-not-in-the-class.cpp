// If this fails, a class's attribute applies to functions that the class only declares as
// friends, or does not apply to friends that the class defines.
// clang 16 does not parse the arguments of [[tp::entry(2)]].
// REQUIRES: llvm-at-least-17
// RUN: %clangxx -O1 -S -emit-llvm %s -o - | FileCheck %s
int Count;
struct [[tp::entry(8), tp::exit]] Class {
  friend void declared(Class *);
  __attribute__((noinline)) friend void defined(Class *) { ++Count; }
};
void declared(Class *C) { defined(C); }
void plain(Class *C) { defined(C); }
// CHECK-DAG: define {{.*}}@_Z8declaredP5Class({{.*}} [[P:#[0-9]+]]
// CHECK-DAG: define {{.*}}@_Z5plainP5Class({{.*}} [[P]]
// CHECK-DAG: define {{.*}}@_Z7definedP5Class({{.*}} [[D:#[0-9]+]]
// CHECK-DAG: attributes [[D]] = {{.*}}"tp-entry"="8,0" "tp-exit"
