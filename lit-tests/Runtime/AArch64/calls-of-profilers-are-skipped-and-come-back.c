// The calls of profilers that compilers put into functions are sites: `bl _mcount` (-pg), and those of
// __cyg_profile_func_enter and _exit (-finstrument-functions), also as a jump at a function's end. A skipped call
// becomes a nop, and a skipped jump becomes a jump to a `ret`. Threads that are in the profiler at that moment return
// to the instruction after the call.
//
// The program is in Inputs/profiled-main.c. Its first argument is the number of profiler calls that a call of add()
// makes.
//
// RUN: rm -rf %t && mkdir %t && cd %t && cp %S/../Inputs/profiled-lib.c lib.c
// RUN: %plain_clang -O2 -fPIE -c %S/../Inputs/profiled-main.c -I %tprt_include -o main.o
// RUN: %plain_clang -rdynamic -pthread main.o %tprt_flags -o main
//
// Through the table of imports.
// RUN: aarch64-linux-gnu-gcc -O2 -pg -fPIC -shared lib.c -o mcount.so
// RUN: %t/main 1 ./mcount.so | FileCheck %s
// RUN: aarch64-linux-gnu-gcc -O2 -finstrument-functions -mbranch-protection=standard -fPIC -shared -s lib.c -o cyg.so
// RUN: %t/main 2 ./cyg.so | FileCheck %s
// RUN: %plain_clang -O2 -pg -fPIC -shared lib.c -o clang.so
// RUN: %t/main 1 ./clang.so | FileCheck %s
// RUN: %plain_clang -O2 %use_lld -finstrument-functions-after-inlining -fPIC -shared lib.c -o after.so
// RUN: %t/main 2 ./after.so | FileCheck %s
//
// Direct calls, in a program that contains the profiler.
// RUN: aarch64-linux-gnu-gcc -O2 -pg -fPIE -c lib.c -o pie.o
// RUN: %plain_clang -rdynamic -pthread main.o pie.o %tprt_flags -o pie
// RUN: %t/pie 1 | FileCheck %s
// RUN: aarch64-linux-gnu-gcc -O2 -finstrument-functions -fno-pie -c lib.c -o fixed.o
// RUN: %plain_clang -rdynamic -pthread -no-pie main.o fixed.o %tprt_flags -o fixed
// RUN: %t/fixed 2 | FileCheck %s
//
// CHECK: made: all right
// CHECK-NEXT: skipped: all right
// CHECK-NEXT: hit while skipped: all right
// CHECK-NEXT: skipped again: all right
// CHECK-NEXT: made again, by the same bytes 1: all right
// CHECK-NEXT: hit: all right
// CHECK-NEXT: skipped while hit: all right
// CHECK-NEXT: hit again: all right
// CHECK-NEXT: made in the end, by the same bytes 1: all right
// CHECK-NEXT: threads: all right
