// If this fails, a filter entry as the documentation shows it matches nothing.
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
//--- header.h
extern "C" void from_header() {}
//--- a.cpp
namespace ns { void f() {} void g() {} }
extern "C" void get_a() {}
extern "C" void other() {}
#include "header.h"
namespace { __attribute__((used)) int h(int x) { return x; } __attribute__((used)) int k(int x) { return x; } }
//--- one
# a comment
[never]
fun:ns::f
fun:(anonymous namespace)::h
src:*header.h
//--- two
[never]
fun:get_*
