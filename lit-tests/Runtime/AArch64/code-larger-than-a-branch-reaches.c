// A library's code is 320 MiB long, and the instruction B reaches 128 MiB. So each part gets
// its own nearby stubs. If a site is too far from any free memory, only that site is
// refused. (The holes are not free: the loader reserves everything from the first page to
// the last.)
//
// RUN: rm -rf %t && split-file %s %t
// RUN: %clang -O2 -fPIC -shared -fplugin-arg-tp-entry=1 -fplugin-arg-tp-exit %t/lib.c %use_lld \
// RUN:   -Wl,--section-start=.near=0x6000000,--section-start=.middle=0xa000000 \
// RUN:   -Wl,--section-start=.r1=0x8000000,--section-start=.r2=0xc000000,--section-start=.far=0x12000000,--section-start=.high=0x14000000 -o %t/lib.so
// RUN: %clang -O2 %S/../Inputs/calls-everywhere.c %tprt_flags -o %t/main
// RUN: %t/main %t/lib.so | FileCheck %s
//
// CHECK: some sites were refused, the others are on: 8 of 10
// CHECK-NEXT: middle: no memory for a stub within reach of the sled
// CHECK-NEXT: low returns 1, 2 hits
// CHECK-NEXT: near returns 2, 2 hits
// CHECK-NEXT: middle returns 3, 0 hits
// CHECK-NEXT: far returns 4, 2 hits
// CHECK-NEXT: high returns 5, 2 hits
// CHECK-NEXT: off: 0 hits
// CHECK-NEXT: 8 of 10 counted 8
// CHECK-NEXT: every matching site was refused: 0 of 1
//--- lib.c
/* Data between the code, so that the file has several segments and stays small. */
__attribute__((used, section(".r1"))) static const int r1 = 1;
__attribute__((used, section(".r2"))) static const int r2 = 1;
int low(void) { return 1; }
__attribute__((section(".near"))) int near(void) { return 2; }
__attribute__((section(".middle"))) int middle(void) { return 3; }
__attribute__((section(".far"))) int far(void) { return 4; }
__attribute__((section(".high"))) int high(void) { return 5; }
