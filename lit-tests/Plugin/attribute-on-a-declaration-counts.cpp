// If this fails, an attribute in the header has no effect on the definition.
// clang 16 does not parse the arguments of [[tp::entry(2)]].
// REQUIRES: llvm-at-least-17
// RUN: %clangxx -std=c++20 -O1 -S %s -o - | FileCheck %s
struct S {
  [[tp::entry(2)]] S();
  [[tp::entry(2)]] ~S();
  [[tp::entry(2)]] int method();
  template <class T> [[tp::entry(2)]] int generic(T);
};
// CHECK: {{^}}_ZN1SC2Ev:
// CHECK: xchgw
S::S() {}
// CHECK: {{^}}_ZN1SD2Ev:
// CHECK: xchgw
S::~S() {}
// CHECK: {{^}}_ZN1S6methodEv:
// CHECK: xchgw
int S::method() { return 1; }
// CHECK: {{^}}_ZN1S7genericIiEEiT_:
// CHECK: xchgw
template <class T> int S::generic(T) { return 1; }
template int S::generic(int);
