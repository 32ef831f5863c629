// tpctl --dry-run: the programs that would run, and their cost, without a probe.
// If this fails, a user cannot see what an expression costs before it costs it.
//
// REQUIRES: tpctl
// RUN: %clang -O2 -g -fplugin-arg-tp-entry=2,0 -fplugin-arg-tp-exit %s -o %t
// RUN: %tpctl count 'take_*' --if 'size > 4' --dry-run -- %t > %t.typed 2> %t.notes
// RUN: FileCheck %s --input-file=%t.typed --check-prefix=TYPED --implicit-check-not=runs
// RUN: FileCheck %s --input-file=%t.notes --check-prefix=NOTES
// TYPED:      {{^}}2 functions: take_long, take_more{{$}}
// TYPED-NEXT: {{^}}  at the beginning of each call, about {{[1-9][0-9]+}} ns{{$}}
// TYPED-NEXT: 0 r{{[0-9]+}} = arg0
// TYPED:      if r{{[0-9]+}} is 0, do not count the hit
// TYPED:      {{^ +[0-9]+}} key
// TYPED-NEXT: {{^}}1 function: take_int{{$}}
// TYPED:      the lowest 32 bits of
// NOTES:      1 of 4 functions left out, because the expressions do not fit; the first is take_none
// NOTES:      ' was loaded for its functions alone, and did not run{{$}}
//
// Without a process.
// RUN: %tpctl count f --if 'str(arg0) == "x"' --in g --stop-if 'depth > 2' --hits 7 --dry-run | FileCheck %s --check-prefix=PLAIN
// PLAIN:      {{^}}all functions{{$}}
// PLAIN-NEXT: {{^}}  at the beginning of each call, about {{[1-9][0-9]+}} ns, or up to {{[4-9][0-9][0-9]}} ns if memory has to be read by system calls{{$}}
// PLAIN-NEXT: 0 r0 = inside a call of --in
// PLAIN-NEXT: 1 if r0 is 0, do not count the hit
// PLAIN:      == "x"
// PLAIN:      = depth
// PLAIN:      is not 0, this is the last hit
// PLAIN:      is not 0, this is one of the 7 hits that count
// PLAIN:      = function
// PLAIN-NEXT: key
// RUN: %tpctl trace 'take_*' --if 'duration > 1ms' --print arg0 --dry-run -- %t | FileCheck %s --check-prefix=END
// RUN: %tpctl record 'take_*' --if 'duration > 1ms' --dry-run -- %t | FileCheck %s --check-prefix=END
// RUN: %tpctl hist 'take_*' --of arg1 --if 'duration > 1ms' --dry-run | FileCheck %s --check-prefix=END
// END: at the end of each call, about
//
// RUN: not %tpctl count 'take_*' --if 'size > 4' --dry-run 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: tpctl: error: --dry-run: the expressions use names or types of functions
// RUN: not %tpctl count 'take_*' --dry-run -- %t 2>&1 | FileCheck %s --check-prefix=NOTHING --implicit-check-not=runs
// RUN: not %tpctl hist 'take_*' --dry-run -- %t 2>&1 | FileCheck %s --check-prefix=NOTHING --implicit-check-not=runs
// RUN: not %tpctl trace 'take_*' --dry-run -- %t 2>&1 | FileCheck %s --check-prefix=NOTHING --implicit-check-not=runs
// RUN: not %tpctl record 'take_*' --dry-run -- %t 2>&1 | FileCheck %s --check-prefix=NOTHING --implicit-check-not=runs
// NOTHING: tpctl: error: --dry-run shows the program of expressions: give one
#include <stdio.h>
#define APART __attribute__((noinline))
APART long take_long(long size) { __asm__ volatile("" : "+r"(size)); return size; }
APART long take_more(long size) { __asm__ volatile("" : "+r"(size)); return size + 1; }
APART int take_int(int size) { __asm__ volatile("" : "+r"(size)); return size; }
APART void take_none(void) { __asm__ volatile(""); }
int main(void) {
  puts("main runs");
  take_none();
  return (int)(take_long(1) + take_more(1) + take_int(1)) != 4;
}
