// If this fails, points are lost if `ld -r` joins objects before the link, or if objects or
// programs are stripped. The first function is not used, so a linker that has merged the tables of
// all functions into one drops the table with that function.
//
// REQUIRES: gcc-12, lld, x86_64-host
// RUN: gcc-12 -O1 -c %S/Inputs/open-points.c -o %t.open.o
// RUN: %plain_clang -O2 -ffunction-sections -I %tprt_include -I %S/Inputs -c %s -o %t.clang.o
// RUN: gcc-12 -O2 -ffunction-sections -I %tprt_include -I %S/Inputs -c %s -o %t.gcc.o
//
// RUN: ld.lld -r %t.clang.o -o %t.r.o && %plain_clang -fuse-ld=lld -Wl,--gc-sections %t.r.o %t.open.o -o %t && %t | FileCheck %s
// RUN: ld.bfd -r --unique=tp_points %t.gcc.o -o %t.r.o && gcc-12 -fuse-ld=bfd -Wl,--gc-sections,-z,start-stop-gc %t.r.o %t.open.o -o %t && %t | FileCheck %s
// RUN: ld.bfd -r --unique=tp_points %t.gcc.o -o %t.r.o && %plain_clang -fuse-ld=lld -Wl,--gc-sections %t.r.o %t.open.o -o %t && %t | FileCheck %s
//
// RUN: llvm-objcopy --strip-unneeded %t.clang.o %t.s.o && %plain_clang -fuse-ld=lld -Wl,--gc-sections %t.s.o %t.open.o -o %t && %t | FileCheck %s
// RUN: strip --strip-unneeded %t.gcc.o -o %t.s.o && %plain_clang -fuse-ld=lld -Wl,--gc-sections %t.s.o %t.open.o -o %t && %t | FileCheck %s
// RUN: strip %t -o %t.stripped && %t.stripped | FileCheck %s
// RUN: llvm-objcopy --strip-sections %t %t.bare && %t.bare | FileCheck %s
//
// CHECK: point [used %d] i:1
// CHECK-NEXT: point [main]
// CHECK-NEXT: 2 static branches
#include "open-points.h"
#include <stdio.h>
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
  printf("%d static branches\n", gates);
  return 0;
}
