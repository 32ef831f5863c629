// tpctl --in: a function that is not there, and one whose calls cannot be seen to end.
// If this fails, the numbers are wrong without a word.
//
// REQUIRES: tpctl
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 %s -o %t.entries
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 -fplugin-arg-tp-exit %s -o %t
// RUN: not %tpctl count take --in parsel -- %t 2>&1 | FileCheck %s --check-prefix=NAME --implicit-check-not=runs --implicit-check-not=await
// NAME: tpctl: error: --in: nothing of {{.*}} matches parsel: {{.*}}; did you mean parse?{{$}}
// RUN: not %tpctl count take --in parse -- %t.entries 2>&1 | FileCheck %s --check-prefix=EXIT --implicit-check-not=runs
// RUN: not %tpctl trace take --in parse -- %t.entries 2>&1 | FileCheck %s --check-prefix=EXIT --implicit-check-not=runs
// EXIT: tpctl: error: --in: not all calls of parse can be followed: 1 function is entered but not left, the first parse ({{.*}}without an exit sled
// RUN: not %tpctl hist take --in endless -- %t 2>&1 | FileCheck %s --check-prefix=ENDLESS --implicit-check-not=runs
// ENDLESS: tpctl: error: --in: not all calls of endless can be followed: {{.*}}(or they never return)
// RUN: %tpctl record take --in parse -o %t.tp -- %t.entries 2>&1 | FileCheck %s --check-prefix=RECORD
// RECORD: nothing was recorded: --in: not all calls of parse can be followed
// RUN: not %tpctl count take --in '!parse' -- %t 2>&1 | FileCheck %s --check-prefix=NOT --implicit-check-not=runs
// NOT: tpctl: error: --in: all patterns only exclude functions
// RUN: not %tpctl count take --in point:x -- %t 2>&1 | FileCheck %s --check-prefix=POINT --implicit-check-not=runs
// POINT: tpctl: error: --in: 'point:x' selects points
// RUN: not %tpctl count take --in '' -- %t 2>&1 | FileCheck %s --check-prefix=EMPTY --implicit-check-not=runs
// EMPTY: tpctl: error: --in: a value is needed, but this one is empty
//
// The depth is that of the functions that can be followed.
// RUN: %tpctl count 'parse' --by depth -o %t.txt -- %t.entries 2>&1 | FileCheck %s --check-prefix=DEPTH
// DEPTH: tpctl: note: depth: not all calls are followed, and calls of these functions are not counted in the depth of others: 1 function is entered but not left
#include <stdio.h>
#include <stdlib.h>
#define APART __attribute__((noinline))
volatile long sink;
APART long take(long n) {
  sink = n;
  return n;
}
APART void parse(long n) {
  take(n);
  sink = n + 1;
}
APART _Noreturn void endless(int code) {
  take(code);
  exit(code);
}
int main(void) {
  puts("main runs");
  fflush(stdout);
  parse(3);
  endless(0);
}
