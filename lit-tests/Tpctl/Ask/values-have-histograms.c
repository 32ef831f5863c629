// hist with --of, --if and --by: histograms of arguments, results and durations. If this fails, values are in wrong
// bars, or calls are missing.
//
// REQUIRES: tpctl
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 -fplugin-arg-tp-exit %s -o %t
//
// RUN: %tpctl hist give --of arg0 -o - -- %t | FileCheck %s --check-prefix=BARS
// BARS: {{^}}  1,025 calls, total 524,800, avg 512, min 0, p50 {{[0-9]+}}, p99 {{[0-9,]+}}, max 1,024{{$}}
// BARS-NEXT: {{^ +}}0 .. 1                     1 |#{{$}}
// BARS-NEXT: {{^ +}}1 .. 2                     1 |#{{$}}
// BARS-NEXT: {{^ +}}2 .. 4                     2 |#{{$}}
// BARS-NEXT: {{^ +}}4 .. 8                     4 |#{{$}}
// BARS: {{^ +}}512 .. 1K                  512 |########################################{{$}}
// BARS-NEXT: {{^ +}}1K .. 2K                    1 |#{{$}}
//
// RUN: %tpctl hist give --of '(int)result' --by 'arg0 < 1000' -o - -- %t | FileCheck %s --check-prefix=SIGNS
// SIGNS: {{^}}arg0 < 1000 = 0{{$}}
// SIGNS-NEXT: {{^}}  25 calls, total 25, avg 1, min 1, p50 1, p99 1, max 1{{$}}
// SIGNS: {{^}}arg0 < 1000 = 1{{$}}
// SIGNS-NEXT: {{^}}  1,000 calls, total -3,000, avg -3, min -3, p50 -, p99 -, max -3{{$}}
// SIGNS-NEXT: {{^}}    below 0                      1,000{{$}}
//
// A number without a sign that is 2^63 or more is not shown as a negative one.
// RUN: %tpctl count give --if 'arg0 < 3' --of '(unsigned long)(arg0 - 1)' -o - --format csv -- %t | FileCheck %s --check-prefix=LARGE
// LARGE: ,give,3,,,,0{{$}}
// RUN: %tpctl hist give --if 'arg0 < 3' --of '(unsigned long)(arg0 - 1)' -o - -- %t | FileCheck %s --check-prefix=LARGEBARS
// LARGEBARS: {{^}}  3 calls, total -, avg -, min -, p50 -, p99 -, max -{{$}}
// LARGEBARS-NEXT: {{^}}  from 2^63                          1{{$}}
//
// Durations of 24 of the 1,025 calls.
// RUN: %tpctl hist give --if 'arg0 > 1000' --by function -o - --format json -- %t | FileCheck %s --check-prefix=JSON
// JSON: "keys": {
// JSON-NEXT: "function": "give"
// JSON: "calls": 24,
// JSON: "unknown": 0,
//
// RUN: %tpctl hist give --of arg0 -o - --format csv -- %t | FileCheck %s --check-prefix=CSV
// CSV: {{^}}from,to,calls{{$}}
// CSV-NEXT: {{^}}0,1,1{{$}}
// CSV: {{^}}992,1024,32{{$}}
// CSV-NEXT: {{^}}1024,1088,1{{$}}
// CSV-NOT: {{.}}
//
// In CSV, a time is a number of nanoseconds.
// RUN: %tpctl hist give --by 'duration < 0' --of '(long)duration' -o - --format csv -- %t | FileCheck %s --check-prefix=NANOSECONDS
// NANOSECONDS: {{^}}duration < 0,from,to,calls{{$}}
// RUN: %tpctl hist deep --by 'duration' --of arg0 -o - --format csv -- %t | FileCheck %s --check-prefix=TIME
// TIME: {{^}}duration,from,to,calls{{$}}
// TIME-NEXT: {{^[0-9]+,[0-9]+,[0-9]+,[0-9]+$}}
//
// Calls that longjmp leaves have a duration and no result.
// RUN: %tpctl hist leaves --of '(int)result' -o - -- %t | FileCheck %s --check-prefix=LEFT
// LEFT: {{^}}  20 calls, total 50, avg 5, min 5, p50 5, p99 5, max 5{{$}}
// LEFT-NEXT: {{^}}  10 with an unknown value{{$}}
//
// RUN: %tpctl hist deep --of 'arg0' --if 'result >= 0' -o - -- %t | FileCheck %s --check-prefix=DEEP
// DEEP: {{^}}  101 calls, total 5,050, avg 50, min 0, p50 {{[0-9]+}}, p99 {{[0-9]+}}, max 100{{$}}
#include <setjmp.h>

#define APART __attribute__((noinline))
APART int give(long number) {
  __asm__ volatile("" : "+r"(number));
  return number < 1000 ? -3 : 1;
}
static jmp_buf place;
APART int leaves(int jumps) {
  __asm__ volatile("" : "+r"(jumps));
  if (jumps)
    longjmp(place, 1);
  return 5;
}
APART long deep(long n) {
  long inner = n ? deep(n - 1) : 0;
  __asm__ volatile("" : "+r"(inner));
  return inner + 1;
}

int main(void) {
  for (long i = 0; i <= 1024; ++i)
    give(i);
  for (int i = 0; i < 10; ++i) {
    if (!setjmp(place))
      leaves(1);
    leaves(0);
  }
  deep(100);
  return 0;
}
