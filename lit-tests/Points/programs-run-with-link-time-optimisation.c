// If this fails, a statement is lost, doubled or refused by link-time optimisation.
//
// RUN: %points_matrix %s %S/Inputs/other-file.c -o %t --flags="-O2 -flto;-O2 -flto -fPIC;-O1 -flto -static" --compilers gcc-12 --std c11,c++17
// RUN: %points_matrix %s %S/Inputs/other-file.c -o %t --flags="-O2 -flto -fuse-ld=lld;-O2 -flto=thin -fuse-ld=lld;-O2 -flto -fPIC -pie -fuse-ld=lld" --compilers clang-22,aarch64-clang --std c11,c++17
// RUN: %points_matrix %s %S/Inputs/other-file.c -o %t --flags="-O2 -flto --ld-path=/usr/bin/ld.lld-14;-O2 -flto=thin --ld-path=/usr/bin/ld.lld-14" --compilers clang-14 --std c11,c++17
//
// OUT: point [evaluated %d] i:1
// OUT: point [static inline %d] i:1
// OUT: point [inline %d] i:2
// OUT: other_point [other file %d] i:3
// OUT: point [inline %d] i:3
// OUT: point [number %ld] l:3
// OUT: point [number %ld] l:4
// OUT: probe [%d %d %d %g %g %s %p %d %d %d] i:5 i:6 i:7 d:1.5 d:2.5 z:text p:10 i:5 i:5 i:14
// OUT: probe [%d %g %s] i:5 d:1.5 z:text
#include "small.h"
int main(void) { return run_small(); }
