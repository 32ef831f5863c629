// If this fails, a filter entry from the documentation matches nothing.
// RUN: split-file %s %t
// RUN: %clangxx -g -fplugin-arg-tp-entry=2 -fplugin-arg-tp-filter=%t/one -fplugin-arg-tp-filter=%t/two -c %t/a.cpp -o %t.o
// RUN: llvm-objdump --no-show-raw-insn -d %t.o | FileCheck %s
// CHECK-LABEL: <_ZN2ns1fEv>:
// CHECK-NEXT: pushq
// CHECK-LABEL: <_ZN2ns1gEv>:
// CHECK-NEXT: nop
// CHECK-LABEL: <get_a>:
// CHECK-NEXT: pushq
// CHECK-LABEL: <other>:
// CHECK-NEXT: nop
// CHECK-LABEL: <from_header>:
// CHECK-NEXT: pushq
// CHECK-LABEL: <_ZN12_GLOBAL__N_11hEi>:
// CHECK-NEXT: pushq
// CHECK-LABEL: <_ZN12_GLOBAL__N_11kEi>:
// CHECK-NEXT: nop
// These are instances of templates, whose readable names begin with the type of the result.
// CHECK-LABEL: <_ZN2ns1tIiEET_S1_>:
// CHECK-NEXT: pushq
// CHECK-LABEL: <_ZN2nslsIlEERNS_6ResultIT_EES4_i>:
// CHECK-NEXT: pushq
// CHECK-LABEL: <_ZN9elsewhere1tIiEEN2ns6ResultIT_EES3_>:
// CHECK-NEXT: nop
//--- header.h
extern "C" void from_header() {}
//--- a.cpp
namespace ns { void f() {} void g() {} }
extern "C" void get_a() {}
extern "C" void other() {}
#include "header.h"
namespace { __attribute__((used)) int h(int x) { return x; } __attribute__((used)) int k(int x) { return x; } }
namespace ns {
template <class T> struct Result { T x[4]; };
template <class T> T t(T x) { return x; }
template <class T> Result<T> &operator<<(Result<T> &x, int) { return x; }
template int t(int);
template Result<long> &operator<<(Result<long> &, int);
}
namespace elsewhere {
template <class T> ns::Result<T> t(T) { return {}; }
template ns::Result<int> t(int);
}
//--- one
# a comment
[never]
fun:ns::f
fun:(anonymous namespace)::h
fun:ns::t<*
fun:ns::operator<<*
fun:t<*
src:*header.h
//--- two
[never]
fun:get_*
