// A library's code stretches over 3 GiB, but a jump reaches only 2 GiB. So each part gets nearby stubs, below or
// above the library, and sleds of 5 bytes get nearby islands. (The holes between are not free: the loader reserves
// everything from the first page to the last.)
//
// REQUIRES: x86_64-host
// RUN: rm -rf %t && split-file %s %t && mkdir %t/long
// RUN: %clang -O2 -fPIC -shared -fno-asynchronous-unwind-tables -fplugin-arg-tp-entry=2,0 -fplugin-arg-tp-exit %t/lib.c \
// RUN:   %use_lld -Wl,--section-start=.near=0x20000000,--section-start=tp_sleds=0x58000000 \
// RUN:   -Wl,--section-start=.middle=0x60000000,--section-start=.far=0x90000000 \
// RUN:   -Wl,--section-start=.r1=0x70000000,--section-start=.r2=0xa0000000,--section-start=.high=0xc0000000 -o %t/lib.so
// RUN: %clang -O2 %S/../Inputs/calls-everywhere.c %tprt_flags -o %t/main
// RUN: %t/main %t/lib.so | FileCheck %s
// RUN: %clang -O2 -fPIC -shared -fno-asynchronous-unwind-tables -fplugin-arg-tp-entry=5,0 -falign-functions=16 %t/lib.c \
// RUN:   %use_lld -Wl,--section-start=.near=0x20000000,--section-start=tp_sleds=0x58000000 \
// RUN:   -Wl,--section-start=.middle=0x60000000,--section-start=.far=0x90000000 \
// RUN:   -Wl,--section-start=.r1=0x70000000,--section-start=.r2=0xa0000000,--section-start=.high=0xc0000000 -o %t/long/lib.so
// RUN: %t/main %t/long/lib.so | FileCheck %s --check-prefix=LONG
//
// CHECK: it was done: 10 of 10
// CHECK-NEXT: low returns 1, 2 hits
// CHECK-NEXT: near returns 2, 2 hits
// CHECK-NEXT: middle returns 3, 2 hits
// CHECK-NEXT: far returns 4, 2 hits
// CHECK-NEXT: high returns 5, 2 hits
// CHECK-NEXT: off: 0 hits
// CHECK-NEXT: 10 of 10 counted 10
//
// LONG: it was done: 5 of 5
// LONG-NEXT: low returns 1, 1 hits
// LONG-NEXT: near returns 2, 1 hits
// LONG-NEXT: middle returns 3, 1 hits
// LONG-NEXT: far returns 4, 1 hits
// LONG-NEXT: high returns 5, 1 hits
// LONG-NEXT: off: 0 hits
// LONG-NEXT: 5 of 5 counted 5
//--- lib.c
/* Data between the code, so that the file has several segments and stays small. */
__attribute__((used, section(".r1"))) static const int r1 = 1;
__attribute__((used, section(".r2"))) static const int r2 = 1;
int low(void) { return 1; }
__attribute__((section(".near"))) int near(void) { return 2; }
__attribute__((section(".middle"))) int middle(void) { return 3; }
__attribute__((section(".far"))) int far(void) { return 4; }
__attribute__((section(".high"))) int high(void) { return 5; }
