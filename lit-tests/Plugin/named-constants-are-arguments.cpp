// If this fails, an attribute does not accept a named constant.
// clang 16 does not parse the arguments of [[tp::entry(2)]].
// REQUIRES: llvm-at-least-17
// RUN: %clangxx -std=c++20 -S -emit-llvm %s -o - | FileCheck %s --check-prefixes=CHECK,CXX
// RUN: %clang -std=c23 -x c -S -emit-llvm %s -o - | FileCheck %s
#ifdef __cplusplus
extern "C" {
#endif
enum { Three = 3, One = 1 };
// CHECK: define{{.*}} @enumerator({{.*}} [[A3:#[0-9]+]]
__attribute__((tp_entry(Three))) void enumerator() {}
// CHECK: define{{.*}} @both({{.*}} [[A31:#[0-9]+]]
[[tp::entry(Three, One)]] void both() {}
#ifdef __cplusplus
constexpr int Two = 2;
namespace inner {
const unsigned Two = 4;
// CXX: define{{.*}} @variable({{.*}} [[A4:#[0-9]+]]
__attribute__((tp_entry(Two))) void variable() {}
} // namespace inner
}
struct Class {
  static constexpr int Five = 5;
  enum { Six = 6 };
  // CXX: define{{.*}} @_ZN5Class6memberEv({{.*}} [[A5:#[0-9]+]]
  __attribute__((tp_entry(Five))) static void member() {}
  // CXX: define{{.*}} @_ZN5Class5otherEv({{.*}} [[A62:#[0-9]+]]
  __attribute__((tp_entry(Six, Two))) static void other() {}
};
void use() { Class::member(), Class::other(); }
#endif
// CHECK: attributes [[A3]] = {{.*}}"tp-entry"="3,0"
// CHECK: attributes [[A31]] = {{.*}}"tp-entry"="3,1"
// CXX: attributes [[A4]] = {{.*}}"tp-entry"="4,0"
// CXX: attributes [[A5]] = {{.*}}"tp-entry"="5,0"
// CXX: attributes [[A62]] = {{.*}}"tp-entry"="6,2"
