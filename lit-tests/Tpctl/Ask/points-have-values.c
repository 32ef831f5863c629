// The arguments of points in expressions, by the names in the format and by number: each type, those in memory, and
// strings with and without a NUL. The sums are those that the program itself has added up. If this fails, values are
// not those of the points.
//
// REQUIRES: tpctl
// RUN: gcc -g -O2 -I %tprt_include %s -o %t
// RUN: g++ -x c++ -std=c++20 -g -O2 -I %tprt_include %s -o %t.cpp
// RUN: sh -c '%t >%t.sums; while read name sum; do %tpctl count point:all --of "$name" --format csv -o - -- %t | grep ",all,20,$sum," || echo "no $name $sum"; done <%t.sums' 2>&1 | FileCheck %s --implicit-check-not='no '
// RUN: sh -c '%t.cpp >%t.sums; while read name sum; do %tpctl count all --of "$name" --format csv -o - -- %t.cpp | grep ",all,20,$sum," || echo "no $name $sum"; done <%t.sums' 2>&1 | FileCheck %s --implicit-check-not='no '
// CHECK-COUNT-14: ,all,20,
//
// RUN: %tpctl count point:text --by kind --format csv -o - -- %t | FileCheck %s --check-prefix=TEXT
// RUN: %tpctl count point:text --by 'str(kind)' --format csv -o - -- %t.cpp | FileCheck %s --check-prefix=TEXT
// RUN: %tpctl count point:text --if 'kind =~ "pi*"' --by 'cut, arg2, thread == arg5' --format csv -o - -- %t | FileCheck %s --check-prefix=CUT
// RUN: %tpctl count 'point:*' --if 'kind == "carp"' --by function --format csv -o - -- %t 2>&1 | FileCheck %s --check-prefix=SOME
// TEXT-DAG: ,perch,7{{$}}
// TEXT-DAG: ,pike,7{{$}}
// TEXT-DAG: ,carp,5{{$}}
// TEXT-DAG: ,?,1{{$}}
// CUT: ,abc,4,1,7{{$}}
// SOME: tpctl: note: 1 of 2 sites left out, because the expressions do not fit; the first is all: --if: 'kind' is no argument of the point all(
// SOME: ,text,5{{$}}
// RUN: %tpctl hist point:text --of '(long)size' --format json -o - -- %t | FileCheck %s --check-prefix=HIST
// HIST: "calls": 20,
//
// RUN: not %tpctl count point:text --by 'kind, sise' -- %t 2>&1 | FileCheck %s --check-prefix=NAME
// NAME: tpctl: error: --by: 'sise' is no argument of the point text(string kind, string cut, unsigned, int, char *bounded, int tid, double size)
// NAME-NEXT: {{^ *}}kind, sise{{$}}
// NAME-NEXT: {{^ *}}^~~~{{$}}
// RUN: not %tpctl count point:text --if 'duration > 1ms' -- %t 2>&1 | FileCheck %s --check-prefix=CALL
// CALL: tpctl: error: --if: 'duration' is known of calls, and text is a point; select functions for it
// RUN: not %tpctl count point:text --of kind -- %t 2>&1 | FileCheck %s --check-prefix=STRING
// STRING: tpctl: error: --of: kind is an address, and a sum needs a number
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <stdbool.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <tprt/trace.h>

TPRT_POINT(all);
TPRT_POINT(text);
int global = 5;

__attribute__((noinline)) static void reach(int i) {
  TPRT_TRACE(all, "b=%d c=%c a=%hhd h=%hhu s=%hd t=%hu i=%d j=%u l=%ld m=%lu f=%g d=%g", i % 2 == 0, (char)('a' + i), (signed char)(i - 100),
             (unsigned char)(i + 200), (short)(i - 30000), (unsigned short)(i + 60000), i - 5, i + 4000000000u, i - 5000000000l, i + 5000000000ul,
             (float)i / 4, i / 8.0);
  const char bytes[4] = {'a', 'b', 'c', 'd'};
  const char *kinds[] = {"perch", "pike", "carp"};
  TPRT_TRACE(text, "kind=%s cut=%.3s %u bounded=%.*s tid=%d size=%g", i == 8 ? NULL : kinds[i % 3], bytes, (unsigned)sizeof bytes, 4,
             bytes, (int)syscall(SYS_gettid), i * 1.5);
}

int main(void) {
  double f = 0, d = 0;
  long sums[10] = {0};
  for (int i = 0; i < 20; i++) {
    reach(i);
    long of[] = {i % 2 == 0, 'a' + i, i - 100, i + 200, i - 30000, i + 60000, i - 5, i + 4000000000l, i - 5000000000l, i + 5000000000l};
    for (int k = 0; k < 10; k++)
      sums[k] += of[k];
    f += (float)i / 4;
    d += i / 8.0;
  }
  for (int k = 0; k < 10; k++)
    printf("%c %ld\n", "bcahstijlm"[k], sums[k]);
  printf("f %g\nd %g\narg7 %ld\nglobal %d\n", f, d, sums[7], 20 * global);
  return 0;
}
