// Statements that must not compile. Each has the languages that it is tried in, and after the
// second // a regular expression for the message.
#include <tprt/trace.h>
#ifdef __cplusplus
struct Vector {
  int *data() const;
  unsigned long size() const;
  int operator[](int) const;
} many;
#endif
TPRT_POINT(point);
TPRT_POINT_USDT(provider, probe);
struct pair {
  int a, b;
} pair;
union both {
  int a;
  float b;
} both;
struct {
  unsigned three : 3;
} bits;
int number;
#define TIMES_16(text) text text text text text text text text text text text text text text text text
#define TIMES_65536(text) TIMES_16(TIMES_16_(TIMES_16__(TIMES_16___(text))))
#define TIMES_16_(text) text text text text text text text text text text text text text text text text
#define TIMES_16__(text) text text text text text text text text text text text text text text text text
#define TIMES_16___(text) text text text text text text text text text text text text text text text text
const char *text = "%d";
long double large;
__int128 wide;
_Complex double complex_number;

void statement(void) {
#if WRONG == 1 // c11,c++17 // cannot trace `pair`
  TPRT_TRACE(point, "%d", pair);
#elif WRONG == 2 // c11,c++17 // cannot trace `large`
  TPRT_TRACE(point, "%Lf", large);
#elif WRONG == 3 // c11,c++17 // cannot trace `wide \+ 1`
  TPRT_TRACE(point, "%d", wide + 1);
#elif WRONG == 4 // c11,c++17 // cannot trace `complex_number`
  TPRT_TRACE(point, "%f", complex_number);
#elif WRONG == 5 // c++17 // cannot trace `many`
  TPRT_TRACE(point, "%d", many);
#elif WRONG == 6 // c11,c++17 // at most 12 arguments
  TPRT_TRACE(point, "%d %d %d %d %d %d %d %d %d %d %d %d %d", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13);
#elif WRONG == 7 // c11,c++17 // text
  TPRT_TRACE(point, text, number);
#elif WRONG == 8 // c11,c++17 // unknown_point
  TPRT_TRACE(unknown_point, "%d", number);
#elif WRONG == 9 // c11,c++17 // `number` was not declared by TPRT_POINT
  TPRT_TRACE(number, "%d", number);
#elif WRONG == 10 // c11,c++17 // `point` was not declared by TPRT_POINT_USDT
  TPRT_TRACE_INLINE(point, "%d", number);
#elif WRONG == 11 // c11,c++17 // cannot trace `both`
  TPRT_TRACE(point, "%d", both);
#elif WRONG == 12 // c++17 // more_conversions_than_arguments
  TPRT_TRACE(point, "%d %d", number);
#elif WRONG == 13 // c++17 // fewer_conversions_than_arguments
  TPRT_TRACE(point, "%d", number, 2);
#elif WRONG == 14 // c++17 // conversion_does_not_fit
  TPRT_TRACE(point, "%s", number);
#elif WRONG == 15 // c11,c++17 // percent_n|must not have %n
  TPRT_TRACE(point, "%n", &number);
#elif WRONG == 16 // c11,c++17 // width_from_an_argument|take a width from
  TPRT_TRACE(point, "%*d", 3, number);
#elif WRONG == 17 // c++20 // leaves_an_argument_out
  TPRT_TRACEF(point, "{}", number, number);
#elif WRONG == 18 // c++20 // specification_does_not_fit
  TPRT_TRACEF(point, "{:f}", number);
#elif WRONG == 19 // c++20 // brace
  TPRT_TRACEF(point, "{", number);
#elif WRONG == 20 // c11,c++17 // at most 63 characters
}
TPRT_POINT(a234567890b234567890c234567890d234567890e234567890f234567890g234);
void other(void) {
#elif WRONG == 21 // c11,c++17 // at most 27 characters
}
TPRT_POINT_USDT(a234567890b234567890c2345678, late);
void other(void) {
#elif WRONG == 22 // c11,c++17 // tprt_trace_needs_a_format|format|expected expression
  TPRT_TRACE(point);
#elif WRONG == 23 // c++17 // cannot trace `\*&pair`
  TPRT_TRACE(point, "%d %d", many[0], *&pair);
#elif WRONG == 24 // c11 // cannot trace `bits.three`
#ifdef __clang__ // Clang takes a bit-field as its type promoted.
#error "cannot trace `bits.three`"
#endif
  TPRT_TRACE(point, "%u", bits.three);
#elif WRONG == 25 // c11,c++17 // percent_n|must not have %n
  TPRT_TRACE(point, "100%% %d %lln", number, (long long *)0);
#elif WRONG == 26 // c11,c++17 // width_from_an_argument|take a width from
  TPRT_TRACE(point, "%.*s %% %-0*d" "!", 1, text, 3, number);
#elif WRONG == 27 // c11,c++17 // a point has at most 65,534 characters
  TPRT_TRACE(point, TIMES_65536("x"));
#elif WRONG == 28 // c11,c++17 // a point has at most 65,534 characters
  TPRT_TRACE(point, "%d" TIMES_65536("x"), number);
#else
  TPRT_TRACE(point, "n 5 * %.*s %%n 100%%*d %% *n" "%d*n" "%%", 1, text, number);
#endif
}
