// tpctl trace --code shows the calls of functions without sleds as they happen, with arguments and results. Without
// a pattern, every function of every library would be traced, so trace and record refuse that before the program
// starts.
//
// REQUIRES: tpctl
// RUN: gcc -O1 %s -o %t
// RUN: %tpctl trace --code --args 1 'tpctl-trace*!hop' 'tpctl-trace*!jump' -- %t 2>&1 | FileCheck %s
// RUN: not %tpctl trace --code -- %t 2>&1 | FileCheck %s --check-prefix=ALL --implicit-check-not=ran
// RUN: not %tpctl record --code '!main' -- %t 2>&1 | FileCheck %s --check-prefix=ALL --implicit-check-not=ran
// RUN: not %tpctl trace --code %t.tp 2>&1 | FileCheck %s --check-prefix=FILE
//
// CHECK:      hop(arg0=0x1) = 0x2
// CHECK-NEXT: jump(arg0=0x2) = 0x3
// CHECK-NEXT: hop(arg0=0x3) = 0x4
// CHECK:      3 calls
// ALL: --code needs a pattern, for example 'tpctl-trace-{{.*}}!*' for all functions of the program: without one,
// FILE: --for, --if, --print, --in, --stop-if, --hits, --dry-run, --args, --rate, --code, --traps, --signals and -f are for running processes
#include "Inputs/means.h"
#include <stdio.h>

int main(void) {
  hop(jump(hop(1)));
  puts("ran");
  return 0;
}
