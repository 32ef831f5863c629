// If this fails, an attribute at a class or namespace does not reach all of its functions.
// clang 16 does not parse the arguments of [[tp::entry(2)]].
// REQUIRES: llvm-at-least-17
// RUN: %clangxx -std=c++20 -O1 -S -emit-llvm %s -o %t.ll
// RUN: FileCheck %s < %t.ll
namespace [[tp::entry(7)]] ns {
void plain() {}
template <class T> void instance(T) {}
template void instance(int);
namespace inner { void nested() {} }
struct Class { void method(); };
void Class::method() {}
}
void other(ns::Class *) {}
namespace ns { void another_block() {} }
struct __attribute__((tp_opaque, tp_entry(8))) Whole {
  virtual ~Whole();
  Whole();
  Whole(const Whole &) = default;
  static void function();
  struct Nested { void method(); };
  template <class T> T both(T X) { return X; }
  int Values[9];
};
Whole::~Whole() {}
Whole::Whole() {}
void Whole::function() { static auto L = [](int X) { return X; }; L(1); }
void Whole::Nested::method() {}
template int Whole::both(int);
[[gnu::noinline]] void copy(Whole W, Whole &X) { new Whole(W); }
template <class T> struct [[tp::entry(9)]] Template {
  __attribute__((noinline)) int method() { return 1; }
  __attribute__((noinline)) Template() = default;
};
int use() { return Template<int>().method(); }

// CHECK-DAG: define {{.*}}@_ZN2ns5plainEv({{.*}} [[N:#[0-9]+]]
// CHECK-DAG: define {{.*}}@_ZN2ns8instanceIiEEvT_({{.*}} [[I:#[0-9]+]]
// CHECK-DAG: define {{.*}}@_ZN2ns5inner6nestedEv({{.*}} [[N]]
// CHECK-DAG: define {{.*}}@_ZN2ns5Class6methodEv({{.*}} [[N]]
// CHECK-DAG: define {{.*}}@_Z5otherPN2ns5ClassE({{.*}} [[P:#[0-9]+]]
// CHECK-DAG: define {{.*}}@_ZN2ns13another_blockEv({{.*}} [[P]]
// CHECK-DAG: define {{.*}}@_ZN5WholeD2Ev({{.*}} [[D:#[0-9]+]]
// CHECK-DAG: define {{.*}}@_ZN5WholeC2Ev({{.*}} [[C:#[0-9]+]]
// CHECK-DAG: define {{.*}}@_ZN5WholeC2ERKS_({{.*}} [[CC:#[0-9]+]]
// CHECK-DAG: define {{.*}}@_ZN5Whole8functionEv({{.*}} [[F:#[0-9]+]]
// CHECK-DAG: define {{.*}}_ZZN5Whole8functionEv{{.*}}clEi{{.*}} [[L:#[0-9]+]]
// CHECK-DAG: define {{.*}}@_ZN5Whole6Nested6methodEv({{.*}} [[M:#[0-9]+]]
// CHECK-DAG: define {{.*}}@_ZN5Whole4bothIiEET_S1_({{.*}} [[B:#[0-9]+]]
// CHECK-DAG: define {{.*}}@_ZN8TemplateIiE6methodEv({{.*}} [[T:#[0-9]+]]
// CHECK-DAG: attributes [[N]] = {{.*}}"tp-entry"="7,0"
// CHECK-DAG: attributes [[I]] = {{.*}}"tp-entry"="7,0"
// CHECK-DAG: attributes [[D]] = {{.*}}"tp-entry"="8,0"{{.*}}"tp-opaque"
// CHECK-DAG: attributes [[C]] = {{.*}}"tp-entry"="8,0"{{.*}}"tp-opaque"
// CHECK-DAG: attributes [[CC]] = {{.*}}"tp-entry"="8,0"{{.*}}"tp-opaque"
// CHECK-DAG: attributes [[F]] = {{.*}}"tp-entry"="8,0"{{.*}}"tp-opaque"
// CHECK-DAG: attributes [[L]] = {{.*}}"tp-entry"="8,0"{{.*}}"tp-opaque"
// CHECK-DAG: attributes [[M]] = {{.*}}"tp-entry"="8,0"{{.*}}"tp-opaque"
// CHECK-DAG: attributes [[B]] = {{.*}}"tp-entry"="8,0"{{.*}}"tp-opaque"
// CHECK-DAG: attributes [[T]] = {{.*}}"tp-entry"="9,0"
