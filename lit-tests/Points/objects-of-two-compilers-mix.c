// If this fails, a program with objects from GCC and clang, or a program linked with musl, does not
// link or run.
//
// REQUIRES: gcc-12, clang-14, x86_64-host
// RUN: cc -O1 -fPIC -c %S/Inputs/open-points.c -o %t.open.o
// RUN: gcc-12 -O2 -I %tprt_include -I %S/Inputs -c %s -o %t.gcc.o
// RUN: clang-14 -O2 -I %tprt_include -I %S/Inputs -c %S/Inputs/other-file.c -o %t.clang.o
// RUN: cc %t.gcc.o %t.clang.o %t.open.o -o %t && %t | FileCheck %s
// RUN: cc %t.clang.o %t.gcc.o %t.open.o -fuse-ld=mold -o %t && %t | FileCheck %s
// RUN: %plain_clangxx -x c++ -O2 -I %tprt_include -I %S/Inputs -c %s -o %t.clang.o
// RUN: g++-12 -x c++ -O2 -I %tprt_include -I %S/Inputs -c %S/Inputs/other-file.c -o %t.gcc.o
// RUN: cc %t.clang.o %t.gcc.o %t.open.o -o %t && %t | FileCheck %s
// RUN: cc -r %t.clang.o %t.gcc.o -o %t.both.o && cc %t.both.o %t.open.o -o %t && %t | FileCheck %s
// RUN: musl-gcc -O2 -I %tprt_include -I %S/Inputs %s %S/Inputs/other-file.c %S/Inputs/open-points.c -o %t && %t | FileCheck %s
//
// CHECK: point [evaluated %d] i:1
// CHECK-NEXT: point [static inline %d] i:1
// CHECK-NEXT: point [inline %d] i:2
// CHECK-NEXT: other_point [other file %d] i:3
// CHECK-NEXT: point [inline %d] i:3
// CHECK-NEXT: point [number %ld] l:3
// CHECK-NEXT: point [number %ld] l:4
// CHECK-NEXT: probe [%d %d %d %g %g %s %p %d %d %d] i:5 i:6 i:7 d:1.5 d:2.5 z:text p:10 i:5 i:5 i:14
// CHECK-NEXT: probe [%d %g %s] i:5 d:1.5 z:text
#include "small.h"
int main(void) { return run_small(); }
