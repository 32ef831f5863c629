// count= and print= accept points. If a function has the same name, `point:` selects
// only the point. A statement that the compiler copied has one row. If this fails,
// points cannot be used without writing code.
//
// RUN: %plain_clang -O2 -DPOINT_FILE -I %tprt_include -c %s -o %t.o
// RUN: %tp_clang -O2 -ftp-entry=2,0 %s %t.o -o %t
// RUN: env TPRT_OPTIONS=count=fish %t 2>&1 | FileCheck %s --check-prefix=BOTH
// BOTH: tprt: 11 hits of 2 functions and statements (2 watched)
// BOTH-NEXT: hits  point
// BOTH-DAG:  8  fish  ({{.*}}, {{.*}}.c:[[#LINE:]])
// BOTH-DAG:  3  fish  (
//
// RUN: env TPRT_OPTIONS=count=point:fish %t 2>&1 | FileCheck %s --check-prefix=POINT
// POINT: tprt: 8 hits of 1 statement (1 watched)
//
// A function that only an earlier pattern selected is counted once.
// RUN: env "TPRT_OPTIONS=count=point:fish count=fish" %t 2>&1 | FileCheck %s --check-prefix=BOTH
// RUN: env "TPRT_OPTIONS=count=* not=point:fish not=main" %t 2>&1 | FileCheck %s --check-prefix=NOT
// NOT: tprt: 3 calls of 1 function (1 watched)
//
// RUN: env TPRT_OPTIONS=count=point:fish,format=json %t 2>&1 | FileCheck %s --check-prefix=JSON
// JSON: "functions":[{"calls":8,"point":"fish","module":"{{[^"]*}}","file":"{{[^"]*}}.c","line":[[#]]}]
//
// RUN: env TPRT_OPTIONS=print=point:fish %t 2>&1 | FileCheck %s --check-prefix=PRINT
// PRINT: {{^[0-9:.]+ [0-9]+ fish: number=0 half=0.00$}}
// PRINT: {{^[0-9:.]+ [0-9]+ fish: number=7 half=3.50$}}
//
// Lines and tables share a file.
// RUN: rm -f %t.txt && env "TPRT_OPTIONS=print=point:fish count=fish output=%t.txt" %t 2>&1 | count 0
// RUN: FileCheck %s --check-prefix=PRINT < %t.txt
// RUN: FileCheck %s --check-prefix=BOTH < %t.txt
//
// RUN: env TPRT_OPTIONS=time=point:fish %t 2>&1 | FileCheck %s --check-prefix=TIME
// TIME: time=point:fish: points are not timed; count= and print= take points
#include "tprt/trace.h"

#ifdef POINT_FILE
TPRT_POINT(fish);
void statements(void) {
#pragma clang loop unroll_count(4)
  for (int i = 0; i < 8; ++i)
    TPRT_TRACE(fish, "number=%d half=%.2f", i, i / 2.0);
}
#else
void statements(void);
__attribute__((noinline)) void fish(void) { __asm__ volatile(""); }
int main(void) {
  for (int i = 0; i < 3; ++i)
    fish();
  statements();
}
#endif
