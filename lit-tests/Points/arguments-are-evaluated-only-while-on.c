// If this fails, a statement evaluates an argument while its point is off, or does not evaluate an
// argument while the point is on, or execution does not continue after the statement.
//
// RUN: %points_matrix %s -o %t --flags="-O0;-O1;-O2;-O3;-Os;-O2 -fPIC;-O2 -fno-pic -no-pie" --common="-Wall -Wextra -Werror"
//
// OUT: counted [n=%d] i:1
// OUT: counted [n=%d] i:2
// OUT: nothing [no argument]
// OUT: counted [in a loop %d of %d] i:0 i:3
// OUT: counted [in a loop %d of %d] i:1 i:3
// OUT: counted [in a loop %d of %d] i:2 i:3
#include "open-points.h"
#include <tprt/trace.h>

TPRT_POINT(counted);
TPRT_POINT(nothing);

static int evaluated;
static int next(void) { return ++evaluated; }

static int statements(int n) {
  int sum = 0;
  TPRT_TRACE(counted, "n=%d", next());
  TPRT_TRACE(counted, "n=%d", next());
  TPRT_TRACE(nothing, "no argument");
  for (int i = 0; i < n; ++i) {
    TPRT_TRACE(counted, "in a loop %d of %d", i, n);
    sum += i;
  }
  if (TPRT_POINT_ON(counted))
    sum += 100;
  return sum;
}

int main(void) {
  if (statements(3) != 3 || evaluated != 0)
    return 1;
  open_points();
  return statements(3) != 103 || evaluated != 2;
}
