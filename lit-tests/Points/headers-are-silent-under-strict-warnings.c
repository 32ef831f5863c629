// If this fails, a header causes warnings in a program with strict warnings, or does not
// compile without extensions. Here, the headers are not system headers.
//
// RUN: %points_matrix %s -o %t --quiet --compile-only --std c11,c++17,c++20 --flags="-O0;-O2" --common="-pedantic-errors -Werror -Wall -Wextra -Wshadow -Wconversion -Wsign-conversion -Wundef -Wpointer-arith -Wcast-qual -Wcast-align -Wstrict-aliasing=2 -Wformat=2 -Wredundant-decls -Wmissing-declarations -Wswitch-enum -Wvla"
// RUN: %points_matrix %s -o %t --quiet --compile-only --std c11,gnu17 --flags="-O2;-O2 -fno-asm" --common="-pedantic-errors -Werror -Wall -Wextra -Wc++-compat -Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition -Wbad-function-cast -Wnested-externs"
// RUN: %points_matrix %s -o %t --quiet --compile-only --std c++17,c++20 --common="-pedantic-errors -Werror -Wold-style-cast -Wzero-as-null-pointer-constant -Wextra-semi -Wnon-virtual-dtor -Woverloaded-virtual -Wuseless-cast" --compilers gcc
// RUN: %points_matrix %s -o %t --quiet --compile-only --std c11,c++17,c++20 --common="-Weverything -Werror -Wno-unknown-warning-option -Wno-c++98-compat -Wno-c++98-compat-pedantic -Wno-padded -Wno-double-promotion -Wno-unsafe-buffer-usage -Wno-declaration-after-statement -Wno-pre-c11-compat -Wno-pre-c++17-compat -Wno-switch-default -Wno-c++20-compat" --compilers clang,aarch64-clang
#include <tprt/trace.h>

TPRT_POINT(point);
TPRT_POINT_USDT(provider, probe);
int function(int number, const char *text, double real, void *pointer);
int function(int number, const char *text, double real, void *pointer) {
  TPRT_TRACE(point, "no argument");
  TPRT_TRACE(point, "%d %s %g %p", number, text, real, pointer);
  TPRT_TRACE(probe, "%d %d %d %d %d %d %d %d %d %d", number, 2, 3, 4, 5, 6, 7, 8, 9, number);
  TPRT_TRACE_INLINE(probe, "%d %s", number, text);
#if defined(__cplusplus) && __cplusplus >= 202002L
  TPRT_TRACEF(point, "{} {:>8}", number, text);
#endif
  unsigned char small = 1;
  short middle = 2;
  float single = 3;
  TPRT_TRACE(point, "%hhu %hd %g", small, middle, single);
  if (TPRT_POINT_ON(point))
    number++;
  if (number)
    TPRT_TRACE(point, "in if");
  else
    TPRT_TRACE(point, "in else");
  TPRT_TRACE(point, "two"); TPRT_TRACE(point, "in a line");
  return number;
}
