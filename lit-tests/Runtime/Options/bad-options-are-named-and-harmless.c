// A mistake in TPRT_OPTIONS is explained, and the program runs as if the variable were
// not set.
//
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 %s %tprt_flags -Wl,--no-as-needed -ltprt -o %t
// RUN: env TPRT_OPTIONS=cuont=main %t 2>&1 | FileCheck %s --check-prefixes=NAME,RUNS
// RUN: env TPRT_OPTIONS=count %t 2>&1 | FileCheck %s --check-prefixes=VALUE,RUNS
// RUN: env TPRT_OPTIONS="count=m[" %t 2>&1 | FileCheck %s --check-prefixes=GLOB,RUNS
// RUN: env TPRT_OPTIONS="top=many count=main" %t 2>&1 | FileCheck %s --check-prefixes=NUMBER,RUNS
// RUN: env TPRT_OPTIONS=verbose=3 %t 2>&1 | FileCheck %s --check-prefixes=RANGE,RUNS
// RUN: env TPRT_OPTIONS=count=nothing_like_it %t 2>&1 | FileCheck %s --check-prefixes=MATCH,RUNS
// RUN: env TPRT_OPTIONS="count=main output=/nonexistent/x" %t 2>&1 | FileCheck %s --check-prefixes=RUNS,OUTPUT
//
// NAME: tprt: TPRT_OPTIONS: 'cuont' is not an option; TPRT_OPTIONS=help=1 lists the options
// VALUE: tprt: TPRT_OPTIONS: 'count' has no value
// GLOB: tprt: TPRT_OPTIONS: the pattern 'm[' of count has a '[' without its ']'
// NUMBER: tprt: TPRT_OPTIONS: 'many' is not a value for top, which takes a number
// RANGE: tprt: TPRT_OPTIONS: '3' is not a value for verbose, which takes 0|1|2
// RUNS: it ran
// MATCH: tprt: nothing was counted by count=nothing_like_it: the only site does not match nothing_like_it
// OUTPUT: tprt: can't write /nonexistent/x: No such file or directory; the table follows here
// OUTPUT: 1 main
#include <stdio.h>
int main() {
  puts("it ran");
  fflush(stdout);
}
