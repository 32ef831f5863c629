// If this fails, a program with statements does not link or run with one of the linkers, with or without dropping unused
// sections.
//
// RUN: %points_matrix %s %S/Inputs/other-file.c -o %t --flags="-O2 -ffunction-sections -fdata-sections" --link="-fuse-ld=bfd -Wl,--gc-sections;-fuse-ld=bfd -Wl,--gc-sections,-z,start-stop-gc;-fuse-ld=gold -Wl,--gc-sections;-fuse-ld=lld -Wl,--gc-sections;-fuse-ld=lld -Wl,--gc-sections,--icf=all;-fuse-ld=mold -Wl,--gc-sections" --compilers gcc-12,clang-14,clang-22 --std c11,c++17
// RUN: %points_matrix %s %S/Inputs/other-file.c -o %t --flags="-O2 -ffunction-sections -fdata-sections" --link="-fuse-ld=lld -Wl,--gc-sections;-fuse-ld=mold -Wl,--gc-sections" --compilers aarch64-clang --std c11
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
