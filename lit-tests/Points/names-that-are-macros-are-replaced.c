// If this fails, a point whose name is a macro has different names in its object and in its
// statements, so it cannot be found by its object. Some libraries use such macros to add a prefix
// to their names.
//
// RUN: %points_matrix %s -o %t --std c11,c++17 --flags="-O0;-O2"
// RUN: %plain_clang -DENABLE -I %S/Inputs %s %tprt_flags -o %t.enable && %t.enable 2>&1 | FileCheck %s
// CHECK: lib_fish: x=3
//
// OUT: lib_fish [x=%d] i:3
// OUT: lib_bird [x=%d] i:4
#include <string.h>
#include <tprt/trace.h>
#define fish lib_fish
#define bird lib_bird
#define maker lib_maker
TPRT_POINT(fish);
TPRT_POINT_USDT(maker, bird);
static void trace(void) {
  TPRT_TRACE(fish, "x=%d", 3);
  if (TPRT_POINT_ON(bird))
    TPRT_TRACE(bird, "x=%d", 4);
}
#ifdef ENABLE
#include <tprt/point.h>
int main(void) {
  tprt_action action = {.handler = tprt_point_print, .flags = TPRT_HANDLER_GENERAL_REGS_ONLY};
  tprt_probe *probe;
  tprt_point_enable(&fish, &action, &probe, NULL);
  trace();
}
#else
#include "open-points.h"
int main(void) {
  open_points();
  trace();
  return strcmp(fish.name, "lib_fish") || strcmp(bird.point.name, "lib_bird") || strcmp(bird.point.provider, "maker");
}
#endif
