// The calls of profilers that compilers put into functions are sites: of mcount and __fentry__ (-pg), and of
// __cyg_profile_func_enter and _exit (-finstrument-functions), in each form that compilers and linkers give them;
// and the nops of -mnop-mcount. A skipping probe keeps the profiler from being called, and another probe gets
// hits in place of the calls. After both are detached, the profiler is called as before, by the same bytes.
// Threads that are in the profiler at that moment, or about to enter it, continue after the call.
//
// The program is in Inputs/profiled-main.c. Its first argument is the number of profiler calls that a call of add()
// makes.
//
// REQUIRES: x86_64-host
// RUN: rm -rf %t && mkdir %t && cd %t && cp %S/../Inputs/profiled-lib.c lib.c
// RUN: %plain_clang -O2 -fPIE -c %S/../Inputs/profiled-main.c -I %tprt_include -o main.o
// RUN: %plain_clang -rdynamic -pthread main.o %tprt_flags -o main
//
// Through a word of the GOT (gcc), and through the table of imports (clang).
// RUN: gcc -O2 -pg -fPIC -shared lib.c -o mcount.so
// RUN: ./main 1 ./mcount.so | FileCheck %s
// RUN: gcc -O2 -pg -fPIC -fno-plt -fcf-protection=branch -shared lib.c -o endbr.so
// RUN: ./main 1 ./endbr.so | FileCheck %s
// RUN: gcc -O0 -pg -fPIC -shared lib.c -o unoptimised.so
// RUN: ./main 1 ./unoptimised.so | FileCheck %s
// RUN: gcc -O2 -pg -mfentry -fPIC -shared lib.c -o fentry.so
// RUN: ./main 1 ./fentry.so | FileCheck %s
// RUN: gcc -O2 -pg -mfentry -mrecord-mcount -fPIC -shared lib.c -o record.so
// RUN: ./main 1 ./record.so | FileCheck %s
// RUN: gcc -O2 -finstrument-functions -fPIC -shared lib.c -o cyg.so
// RUN: ./main 2 ./cyg.so | FileCheck %s
// RUN: gcc -O2 -finstrument-functions -fno-plt -fPIC -shared -s lib.c -o stripped.so
// RUN: ./main 2 ./stripped.so | FileCheck %s
// RUN: %plain_clang -O2 -pg -fPIC -shared lib.c -o clang.so
// RUN: ./main 1 ./clang.so | FileCheck %s
// RUN: %plain_clang -O2 -pg -mfentry -fPIC -fno-plt -shared lib.c -o clang-fentry.so
// RUN: ./main 1 ./clang-fentry.so | FileCheck %s
// RUN: %plain_clang -O2 -finstrument-functions-after-inlining -fPIC -shared lib.c -o after.so
// RUN: ./main 2 ./after.so | FileCheck %s
//
// The program contains the profiler and calls it directly. It is built twice:
// position-independent, and for a fixed address.
// RUN: gcc -O2 -pg -fPIE -c lib.c -o pie.o
// RUN: %plain_clang -rdynamic -pthread main.o pie.o %tprt_flags -o pie
// RUN: ./pie 1 | FileCheck %s
// RUN: gcc -O2 -finstrument-functions -fPIE -c lib.c -o cyg.o
// RUN: %plain_clang -rdynamic -pthread main.o cyg.o %tprt_flags -o cyg
// RUN: ./cyg 2 | FileCheck %s
// RUN: gcc -O2 -pg -fno-pie -c lib.c -o fixed.o
// RUN: %plain_clang -rdynamic -pthread -no-pie main.o fixed.o %tprt_flags -o fixed
// RUN: ./fixed 1 | FileCheck %s
//
// Nops, which a table in the program lists.
// RUN: gcc -O2 -pg -mfentry -mnop-mcount -mrecord-mcount -fno-pie -c lib.c -o nop.o
// RUN: %plain_clang -rdynamic -pthread -no-pie main.o nop.o %tprt_flags -o nop
// RUN: ./nop 0 | FileCheck %s
// RUN: gcc -O2 -pg -mnop-mcount -mrecord-mcount -fno-pie -c lib.c -o inside.o
// RUN: %plain_clang -rdynamic -pthread -no-pie main.o inside.o %tprt_flags -o inside
// RUN: ./inside 0 | FileCheck %s
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
