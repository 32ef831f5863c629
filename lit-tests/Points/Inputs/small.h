// A program that checks that its statements are evaluated only when open, and checks their output.
// For tests that compile and link a program in different ways.
#include "open-points.h"
#include "shared.h"
TPRT_POINT_USDT(provider, probe);

static int evaluated;
static int next_number(void) { return ++evaluated; }
__attribute__((noinline)) static long sum(const long *numbers, int count) {
  long total = 0;
  for (int i = 0; i < count; ++i) {
    TPRT_TRACE(point, "number %ld", numbers[i]);
    total += numbers[i];
  }
  return total;
}
__attribute__((noinline)) static double many(int n, double d, const char *text) {
  TPRT_TRACE(probe, "%d %d %d %g %g %s %p %d %d %d", n, n + 1, n + 2, d, d + 1, text, (void *)16, n, n, n + 9);
  TPRT_TRACE_INLINE(probe, "%d %g %s", n, d, text);
  return d + n;
}
static int statements(void) {
  static const long numbers[] = {3, 4};
  TPRT_TRACE(point, "evaluated %d", next_number());
  static_inline(1);
  c99_inline(2);
  other_file(3);
  return sum(numbers, 2) == 7 && many(5, 1.5, "text") == 6.5;
}
static int run_small(void) {
  if (!statements() || evaluated || other_point_of_file() != &point)
    return 1;
  open_points();
  return !statements() || evaluated != 1;
}
