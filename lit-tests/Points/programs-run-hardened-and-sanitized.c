// If this fails, a statement does not work with an option that checks or hardens
// code.
//
// RUN: %points_matrix %s %S/Inputs/other-file.c -o %t --flags="-O1 -fsanitize=address,undefined -fno-sanitize-recover=all;-O1 -fsanitize=thread;-O2 -fstack-protector-strong -D_FORTIFY_SOURCE=2 -fstack-clash-protection;-O2 -fcf-protection=full;-O2 -mno-red-zone;-O2 -pg;-O1 --coverage" --compilers gcc-12,clang-22 --std c11,c++17
// RUN: %points_matrix %s %S/Inputs/other-file.c -o %t --flags="-O2 -fno-integrated-as;-O2 -mspeculative-load-hardening;-O1 -fsanitize=memory" --compilers clang-22 --std c11
// RUN: %points_matrix %s %S/Inputs/other-file.c -o %t --flags="-O2 -fsanitize=cfi -flto -fvisibility=hidden -fuse-ld=lld" --compilers clang-22 --std c++17
// RUN: %points_matrix %s %S/Inputs/other-file.c -o %t --flags="-O2 -mbranch-protection=standard;-O2 -mbranch-protection=standard -fstack-protector-strong" --compilers aarch64 --std c11
// RUN: %points_matrix %s %S/Inputs/other-file.c -o %t --flags="-O2 -fzero-call-used-regs=all -ftrivial-auto-var-init=pattern;-O2 -mavx2 -ftree-vectorize" --compilers gcc-12,clang-22 --std c11
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
