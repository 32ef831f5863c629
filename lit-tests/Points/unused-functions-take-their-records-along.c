// If this fails, a linker that drops unused sections keeps the records of a dropped function, or
// keeps a function because of its records, or drops the records of a used function.
//
// gold and mold keep all functions that have a table.
//
// RUN: %points_matrix %s -o %t --std c11,c++17 --flags="-O2 -ffunction-sections -fdata-sections -DEXPECTED=2;-O2 -ffunction-sections -DEXPECTED=2" --link="-fuse-ld=bfd -Wl,--gc-sections,-z,start-stop-gc;-fuse-ld=lld -Wl,--gc-sections" --compilers gcc-12,clang-14,clang-22
// RUN: %points_matrix %s -o %t --std c11 --flags="-O2 -ffunction-sections -DEXPECTED=2" --link="-fuse-ld=lld -Wl,--gc-sections" --compilers aarch64-clang
// RUN: %points_matrix %s -o %t --std c11 --flags="-O2 -ffunction-sections -DEXPECTED=3" --link="-fuse-ld=bfd -Wl,--gc-sections;-fuse-ld=gold -Wl,--gc-sections;-fuse-ld=mold -Wl,--gc-sections" --compilers gcc-12,clang-22
//
// OUT: point [used %d] i:1
// OUT: point [main]
#include "open-points.h"
#include <tprt/trace.h>
TPRT_POINT(point);
void unused(int number);
void unused(int number) { TPRT_TRACE(point, "unused %d", number); }
void used(int number);
__attribute__((noinline)) void used(int number) { TPRT_TRACE(point, "used %d", number); }
int main(void) {
  int gates = open_points();
  used(1);
  TPRT_TRACE(point, "main");
  return gates != EXPECTED;
}
