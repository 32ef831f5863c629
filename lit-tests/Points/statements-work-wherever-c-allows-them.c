// If this fails, a statement does not compile, or does not trace exactly once per execution, at
// one of the places where C allows a statement or expression.
//
// RUN: %points_matrix %s %S/Inputs/other-file.c -o %t --std c11,gnu17 --flags="-O0;-O1;-O3;-Os;-O2 -fPIC -funroll-loops" --common="-Wall -Wextra -Werror -Wno-vla"
//
// OUT: point [if]
// OUT: point [else]
// OUT: point [first]
// OUT: point [second]
// OUT: point [macro %d] i:5
// OUT: point [case %d] i:2
// OUT: point [default %d] i:3
// OUT: point [inner]
// OUT: point [outer %d] i:4
// OUT: point [loop %d] i:0
// OUT: point [loop %d] i:1
// OUT: point [loop %d] i:2
// OUT: point [loop %d] i:3
// OUT: point [label]
// OUT: point [label]
// OUT: point [variable array %d] i:7
// OUT: point [cleanup %d] i:9
// OUT: point [condition]
// OUT: point [static inline %d] i:1
// OUT: point [static inline %d] i:2
// OUT: point [inline %d] i:3
// OUT: other_point [other file %d] i:1
// OUT: point [inline %d] i:1
// OUT: point [always inline %d] i:10
// OUT: point [always inline %d] i:11
// OUT: point [comma]
// OUT: point [last]
#include "open-points.h"
#include "shared.h"
#include <tprt/trace.h>

#define LOG(text, ...) TPRT_TRACE(point, "macro " text, __VA_ARGS__)

static void conditions(int number) {
  if (number)
    TPRT_TRACE(point, "if");
  else
    TPRT_TRACE(point, "not this");
  if (!number)
    TPRT_TRACE(point, "not this");
  else
    TPRT_TRACE(point, "else");
  TPRT_TRACE(point, "first"); TPRT_TRACE(point, "second");
  LOG("%d", 5);
}
static void choices(int number) {
  switch (number) {
  case 1:
    TPRT_TRACE(point, "case 1");
    break;
  case 2:
    TPRT_TRACE(point, "case %d", number);
    break;
  default:
    TPRT_TRACE(point, "default %d", number);
  }
}
static int traced(void) {
  TPRT_TRACE(point, "inner");
  return 4;
}
static void loops(void) {
  for (int i = 0; i < 4; ++i)
    TPRT_TRACE(point, "loop %d", i);
  int again = 0;
label:
  TPRT_TRACE(point, "label");
  if (!again++)
    goto label;
}
static int variable_array(int n) {
  int array[n];
  for (int i = 0; i < n; ++i)
    array[i] = i + 1;
  TPRT_TRACE(point, "variable array %d", array[n - 1]);
  if (n > 100)
    goto end;
  return array[0];
end:
  return 0;
}
static void clean(const int *number) { TPRT_TRACE(point, "cleanup %d", *number); }
static void cleanup(void) {
  __attribute__((cleanup(clean))) int number = 9;
  (void)number;
}
__attribute__((always_inline)) static inline void always(int number) { TPRT_TRACE(point, "always inline %d", number); }

int main(int argc, char **argv) {
  (void)argv;
  open_points();
  conditions(argc);
  choices(argc + 1);
  choices(argc + 2);
  TPRT_TRACE(point, "outer %d", traced());
  loops();
  variable_array(argc + 6);
  cleanup();
  while (TPRT_POINT_ON(point)) {
    TPRT_TRACE(point, "condition");
    break;
  }
  static_inline(argc);
  static_inline(argc + 1);
  c99_inline(argc + 2);
  other_file(argc);
  always(argc + 9);
  always(argc + 10);
  argc ? (void)0 : TPRT_TRACE(point, "not this");
  for (int i = (TPRT_TRACE(point, "comma"), 0); i < 1; ++i)
    TPRT_TRACE(point, "last");
}
