// If this fails, the order of precedence is not what docs/reference/flags.md says: function,
// innermost scope, outer scope, flag.
// clang 16 does not parse the arguments of [[tp::entry(2)]].
// REQUIRES: llvm-at-least-17
// RUN: %clangxx -O1 -fplugin-arg-tp-entry=2 -S -emit-llvm %s -o - | FileCheck %s
void by_flag() {}
namespace [[tp::never]] quiet {
void outer() {}
struct [[tp::entry(3)]] Class {
  void method();
  [[tp::never]] void silent();
  [[tp::entry(4)]] void own();
  [[tp::exit]] void leaves();
  template <class T> [[tp::entry(5)]] void both(T) {}
};
void Class::method() {}
void Class::silent() {}
void Class::own() {}
void Class::leaves() {}
template void Class::both(int);
[[tp::always]] void loud() {}
}
namespace [[tp::exit]] outer {
void exits() {}
struct [[tp::entry(6)]] Inner { void method(); };
void Inner::method() {}
}
// CHECK-DAG: define {{.*}}@_Z7by_flagv({{.*}} [[F:#[0-9]+]]
// CHECK-DAG: define {{.*}}@_ZN5quiet5outerEv({{.*}} [[N:#[0-9]+]]
// CHECK-DAG: define {{.*}}@_ZN5quiet5Class6methodEv({{.*}} [[M:#[0-9]+]]
// CHECK-DAG: define {{.*}}@_ZN5quiet5Class6silentEv({{.*}} [[N]]
// CHECK-DAG: define {{.*}}@_ZN5quiet5Class3ownEv({{.*}} [[O:#[0-9]+]]
// CHECK-DAG: define {{.*}}@_ZN5quiet5Class4bothIiEEvT_({{.*}} [[B:#[0-9]+]]
// CHECK-DAG: define {{.*}}@_ZN5quiet4loudEv({{.*}} [[F]]
// CHECK-DAG: define {{.*}}@_ZN5quiet5Class6leavesEv({{.*}} [[E:#[0-9]+]]
// CHECK-DAG: define {{.*}}@_ZN5outer5exitsEv({{.*}} [[E]]
// CHECK-DAG: define {{.*}}@_ZN5outer5Inner6methodEv({{.*}} [[I:#[0-9]+]]
// CHECK-DAG: attributes [[F]] = {{.*}}"tp-entry"="2,0"
// CHECK-DAG: attributes [[N]] = {{.*}}"tp-never"
// CHECK-DAG: attributes [[M]] = {{.*}}"tp-entry"="3,0"
// CHECK-DAG: attributes [[O]] = {{.*}}"tp-entry"="4,0"
// CHECK-DAG: attributes [[B]] = {{.*}}"tp-entry"="5,0"
// CHECK-DAG: attributes [[E]] = {{.*}}"tp-entry"="2,0" "tp-exit"
// CHECK-DAG: attributes [[I]] = {{.*}}"tp-entry"="6,0" "tune-cpu"
