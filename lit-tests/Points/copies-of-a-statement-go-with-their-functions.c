// If this fails, the record of a statement in an inline function is dropped with a function that does not have
// that copy, or the record stays after its function was dropped. The first copy and its sled may share a section
// of the table. Here the first copy has no sled, as its argument never returns, and the linker drops the functions
// of some copies.
//
// RUN: %points_matrix %s -o %t --std c11,c++17 --flags="-O0;-O1;-O2;-Os" --common="-ffunction-sections -fdata-sections" --link="-fuse-ld=lld -Wl,--gc-sections" --compilers gcc-12,clang-14,clang-22
// RUN: %points_matrix %s -o %t --std c11 --flags="-O2 -fbasic-block-sections=all" --common="-ffunction-sections -fdata-sections" --link="-fuse-ld=lld -Wl,--gc-sections" --compilers clang-22
// RUN: %points_matrix %s -o %t --std c11 --flags="-O2" --common="-ffunction-sections -fdata-sections" --link="-fuse-ld=lld -Wl,--gc-sections" --compilers aarch64-clang
//
// OUT: point [in %d] i:0
// OUT: point [in %d] i:1
// OUT: point [in %d] i:0
// OUT: point [in %d] i:0
#include "open-points.h"
#include <stdlib.h>
#include <tprt/trace.h>
TPRT_POINT(point);
__attribute__((noinline, noreturn)) static int never(int number) { exit(number); }
__attribute__((always_inline)) static inline void copied(int kind, int number) {
  TPRT_TRACE(point, "in %d", kind ? never(number) : number);
}
#define FUNCTION(name) \
  void name(int);      \
  __attribute__((noinline)) void name(int number)
FUNCTION(unused_without_sled) { copied(1, number); }
FUNCTION(unused) { copied(0, number); }
FUNCTION(first) {
  while (number-- > 0)
    copied(0, number);
}
FUNCTION(second) {
  while (number-- > 0)
    copied(0, number);
}
FUNCTION(unused_with_several) {
  copied(0, number);
  copied(0, number + 1);
  if (TPRT_POINT_ON(point))
    copied(0, 5);
}
FUNCTION(third) { copied(0, number - 1); }
int main(void) {
  int gates = open_points();
  first(1);
  second(2);
  third(1);
  return gates != 3;
}
