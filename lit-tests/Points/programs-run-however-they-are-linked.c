// If this fails, a program with statements does not link or run in one kind of link.
//
// RUN: %points_matrix %s %S/Inputs/other-file.c -o %t --flags="-O2 -fPIE -pie;-O2 -fno-pic -no-pie;-O2 -static;-O2 -fPIE -static-pie;-Oz;-O2 -fPIC -pie -fno-plt"  --compilers gcc-12,clang-14,clang-22,aarch64
// RUN: %points_matrix %s %S/Inputs/other-file.c -o %t --flags="-O2 -g;-O2 -g -gsplit-dwarf;-O0 -g3" --std c11
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
