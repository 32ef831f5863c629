// A function may have fewer target features than the rest of its file: for example, an
// interrupt handler that must not use vector registers. If this test fails, a statement does
// not compile, or costs more, in such a function.
//
// RUN: %points_matrix %s -o %t --std c11 --flags="-O0;-O2;-O2 -mavx2 -mbmi" --common="-Wall -Wextra -Werror" --compilers gcc-12,clang-14,clang-16,clang-19,clang-22
// RUN: %points_matrix %s -o %t --std c++17 --flags="-O0;-O2;-O2 -mavx2 -mbmi" --common="-Wall -Wextra -Werror" --compilers clang-14,clang-19,clang-22
// RUN: %points_matrix %S/Inputs/streaming.c -o %t --std c11,c++17 --flags="-O2" --common="-march=armv9-a+sme -Werror" --compilers aarch64-clang --compile-only
//
// OUT: point [general %d %s %p %lu] i:-1 z:text p:10 m:4
// OUT: point [general]
// OUT: point [no sse %d %hhd] i:-2 a:-3
// OUT: point [no avx %d] i:-4
#include "open-points.h"
#include <tprt/trace.h>
TPRT_POINT(point);
__attribute__((noinline, target("general-regs-only"))) static void general(int a, const char *text) {
  TPRT_TRACE(point, "general %d %s %p %lu", a, text, (void *)16, 4ul);
  if (TPRT_POINT_ON(point))
    TPRT_TRACE(point, "general");
}
__attribute__((noinline, target("no-sse"))) static void no_sse(int a, signed char b) { TPRT_TRACE(point, "no sse %d %hhd", a, b); }
__attribute__((noinline, target("no-avx,no-bmi"))) static void no_avx(int a) { TPRT_TRACE(point, "no avx %d", a); }
int main(void) {
  open_points();
  general(-1, "text");
  no_sse(-2, -3);
  no_avx(-4);
  return 0;
}
