// A program tests by TPRT_POINT_ON whether a point is on, but has no statement for it.
// count= on this point must then report that there is no statement to count.
//
// RUN: %plain_clang -O2 %s %tprt_flags -Wl,--no-as-needed -o %t
// RUN: env TPRT_OPTIONS=count=asked %t 2>&1 | FileCheck %s
// RUN: env TPRT_OPTIONS=print=asked %t 2>&1 | FileCheck --check-prefix=PRINT %s
// RUN: env TPRT_OPTIONS=count=other %t 2>&1 | FileCheck --check-prefix=OTHER %s
//
// CHECK: tprt: count=asked: the program only asks whether that point is on, so there is no statement to count
// CHECK-NEXT: on 0
// CHECK-NEXT: tprt: nothing was counted by count=asked: the program only asks
// PRINT: on 1
// OTHER: tprt: count=other: no function or point matches so far
// OTHER-NEXT: on 0
// OTHER-NEXT: tprt: nothing was counted by count=other: none of the {{[0-9]+}} sites matches other
#include "tprt/trace.h"

#include <stdio.h>

TPRT_POINT(asked);
TPRT_POINT(traced);

int main(void) {
  TPRT_TRACE(traced, "%d", 1);
  printf("on %d\n", TPRT_POINT_ON(asked));
  fflush(stdout);
  return 0;
}
