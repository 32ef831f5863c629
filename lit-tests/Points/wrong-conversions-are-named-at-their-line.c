// If this fails, the compiler does not warn of a conversion that does not fit its argument, or
// names a line other than the statement's line. In C++ such a statement does not compile at all.
//
// RUN: %points_matrix %s -o %t --std c11 --flags="-O0 -Wformat" --common="-DWRONG=1" --warns="line\.c:18:.*warning: format .*(int|char)"
// RUN: %points_matrix %s -o %t --std c11 --flags="-O0 -Wformat" --common="-DWRONG=2" --warns="line\.c:20:.*warning: .*(more .* conversions|expects a matching)"
// RUN: %points_matrix %s -o %t --std c11 --flags="-O0 -Wformat -Wformat-extra-args" --common="-DWRONG=3" --warns="line\.c:22:.*warning: (data argument not used|too many arguments)"
// RUN: %points_matrix %s -o %t --std c++17 --flags="-O0 -Wformat" --common="-DWRONG=1" --fails="line\.c:18:.*warning: format .*(int|char)"
// RUN: %points_matrix %s -o %t --std c++17 --flags="-O0" --common="-DWRONG=1" --fails="tprt_format_conversion_does_not_fit_its_argument"
// RUN: %points_matrix %s -o %t --std c++17 --flags="-O0" --common="-DWRONG=1" --fails="line\.c:18:"
// RUN: %points_matrix %s -o %t --std c11,c++17 --flags="-O0 -Wall -Wextra -Werror" --compile-only
#include <tprt/trace.h>
TPRT_POINT(point);
enum colour { RED };
void statements(int number, const char *text);
void statements(int number, const char *text) {
  TPRT_TRACE(point, "%d %s %x", number, text, RED);
#if WRONG == 1
  TPRT_TRACE(point, "%s", number);
#elif WRONG == 2
  TPRT_TRACE(point, "%d %d", number);
#elif WRONG == 3
  TPRT_TRACE(point, "%d", number, 2);
#endif
}
