// If this fails, a filter line with brackets in its name matches nothing. Demangled names have ABI
// tags, operator[] and bounds of arrays in brackets, and these brackets are not character classes.
// RUN: rm -rf %t && split-file %s %t
// RUN: %clangxx -std=c++20 -O1 -fplugin-arg-tp-entry=2 -fplugin-arg-tp-filter=%t/never.txt -S %t/a.cpp -o - | FileCheck %s
// CHECK-LABEL: _Z6sloganB5cxx11v:
// CHECK-NOT: xchgw
// CHECK-LABEL: _Z5titleB5cxx11v:
// CHECK-NOT: xchgw
// CHECK-LABEL: _ZN5TableixEi:
// CHECK-NOT: xchgw
// CHECK-LABEL: _Z3sumRA3_i:
// CHECK-NOT: xchgw
// CHECK-LABEL: _Z1av:
// CHECK-NOT: xchgw
// CHECK-LABEL: _Z1cv:
// CHECK: xchgw
//--- never.txt
[never]
fun:slogan
fun:title[abi:cxx11]()
fun:Table::operator[](int)
fun:sum(int (&) [3])
fun:[ab]()
//--- a.cpp
#include <string>
std::string slogan() { return "abc"; }
std::string title() { return "def"; }
struct Table {
  int V[4];
  int &operator[](int I);
};
int &Table::operator[](int I) { return V[I]; }
int sum(int (&Of)[3]) { return Of[0] + Of[1]; }
int a() { return 1; }
int c() { return 2; }
