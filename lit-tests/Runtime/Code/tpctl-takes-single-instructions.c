// Each verb of tpctl, and each option with a pattern, accepts single instructions: by
// function+offset, by address and by source line. The output shows the instruction's
// position. A pattern that selects no instruction is refused with the reason.
//
// REQUIRES: tpctl
// RUN: gcc -O1 -g -no-pie %s -o %t
// RUN: sh -c 'nm %t | sed -n "s/^0*\(.*\) T stepped$/0x\1/p"' > %t.address
//
// RUN: %tpctl count 'tpctl-takes*!stepped+0x8' -- %t 2>&1 | FileCheck %s --check-prefix=ONE
// RUN: %tpctl count 'stepped+8' -- %t 2>&1 | FileCheck %s --check-prefix=ONE
// RUN: sh -c '%tpctl count $(cat %t.address) -- %t' 2>&1 | FileCheck %s --check-prefix=FIRST
// RUN: %tpctl count @parser.c:122 -- %t 2>&1 | FileCheck %s --check-prefix=LINE
// RUN: %tpctl count --traps 'stepped+*' -- %t 2>&1 | FileCheck %s --check-prefix=EACH
// ONE: {{^ *}}5 {{.*}} stepped+0x8{{$}}
// FIRST: {{^ *}}5 {{.*}} stepped{{$}}
// LINE: {{^ *}}5 {{.*}} parse+0x8{{$}}
// EACH: sites refused, the first {{[a-z]+}}+0x{{[0-9a-f]+}} (0x{{.*}}ask for traps (--traps), unless a neighbour that is on uses the bytes
// EACH: {{^ *}}5 {{.*}} stepped{{$}}
// EACH-NEXT: {{^ *}}5 {{.*}} stepped+0x{{[58]$}}
// EACH: {{^ *}}5 {{.*}} stepped+0x10{{$}}
//
// Functions without sleds, whose names need no --code either, may be with them.
// RUN: %tpctl count 'stepped+8' main -- %t 2>&1 | FileCheck %s --check-prefix=BOTH
// BOTH: {{^ *}}5 {{.*}} stepped+0x8{{$}}
// BOTH: {{^ *}}1 {{.*}} main{{$}}
//
// RUN: %tpctl trace 'stepped+0x8' -- %t 2>&1 | FileCheck %s --check-prefix=TRACE
// RUN: rm -f %t.tp && %tpctl record -o %t.tp 'stepped+0x8' @parser.c:122 -- %t 2>&1 | FileCheck %s --check-prefix=RECORD
// RUN: %tpctl trace %t.tp 2>&1 | FileCheck %s --check-prefixes=TRACE,TRACELINE
// RUN: rm -f %t.tp && %tpctl record --code -o %t.tp @parser.c -- %t 2>&1 && %tpctl report %t.tp | FileCheck %s --check-prefix=FILE
// TRACE-COUNT-5: stepped+0x8{{$}}
// RECORD: 10 events, none lost
// TRACELINE: parse+0x8{{$}}
// FILE: {{^ *}}5 {{.*}} parse{{$}}
//
// RUN: env LD_PRELOAD=%{libdir}/libtprt.so TPRT_OPTIONS='code=1 count=stepped+0x8' %t 2>&1 | FileCheck %s --check-prefix=OPTION
// RUN: env LD_PRELOAD=%{libdir}/libtprt.so TPRT_OPTIONS='code=1 count=@parser.c:122' %t 2>&1 | FileCheck %s --check-prefix=OPTIONLINE
// RUN: env LD_PRELOAD=%{libdir}/libtprt.so TPRT_OPTIONS='code=1 print=stepped+0x8' %t 2>&1 | FileCheck %s --check-prefix=PRINT
// OPTION: {{^ *}}5  stepped+0x8  (tpctl
// OPTIONLINE: {{^ *}}5  parse+0x8  (tpctl
// PRINT-COUNT-5: stepped+0x8: reached{{$}}
//
// RUN: %t %tpctl 2>&1 | FileCheck %s --check-prefix=ON
// ON:      group 1 is on: 1 of 1 site
// ON-NEXT: stepped+0x8: reached
// ON-NEXT: group 2 is on: 1 of 1 site
// ON:      2 count 1 5 {{.*}} kept {{.*}}@parser.c:122
//
// RUN: %tpctl list -v 'stepped+*' -- %t | FileCheck %s --check-prefix=LIST
// RUN: %tpctl list 'stepped+0x8' -- %t | FileCheck %s --check-prefix=SHORT
// LIST:      off  entry+exit+insn code        stepped
// LIST-NEXT: entry jump    +0x0   b801000000 {{ *}}movl $0x1, %eax
// LIST-NEXT: insn  {{.*}}  +0x5   0f1f00 {{ *}}nopl (%rax)
// LIST-NEXT: insn  jump    +0x8   f048ff05{{[0-9a-f]{8} *}}lock incq 0x{{[0-9a-f]+}}(%rip)
// LIST-NEXT: exit  return  +0x10  c3
// SHORT: off insn stepped{{$}}
//
// RUN: not %tpctl list 'stepped+0x9' -- %t 2>&1 | FileCheck %s --check-prefix=MIDDLE
// RUN: not %tpctl trace 'stepped+0x9' -- %t 2>&1 | FileCheck %s --check-prefix=MIDDLE
// RUN: not %tpctl count 'stepped+0x9' -- %t 2>&1 | FileCheck %s --check-prefix=MIDDLE
// RUN: %tpctl record -o %t.none 'stepped+0x9' -- %t 2>&1 | FileCheck %s --check-prefix=MIDDLE
// RUN: not %tpctl list 'stepped+0x1000' -- %t 2>&1 | FileCheck %s --check-prefix=BEHIND
// RUN: not %tpctl list --code 'stepped+zz' -- %t 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not %tpctl list '@parser.c:300' -- %t 2>&1 | FileCheck %s --check-prefix=NOLINE
// RUN: not %tpctl list 0x10 -- %t 2>&1 | FileCheck %s --check-prefix=OUTSIDE
// RUN: not %tpctl list --sleds 'stepped+0x8' -- %t 2>&1 | FileCheck %s --check-prefix=SLEDS
// RUN: not %tpctl list -b %t 'stepped+0x8' 2>&1 | FileCheck %s --check-prefix=FILEONLY
// RUN: not %tpctl hist 'stepped+0x8' -- %t 2>&1 | FileCheck %s --check-prefix=TIMED
// RUN: not %tpctl top --batch 'stepped+*' -- %t 2>&1 | FileCheck %s --check-prefix=TIMED
// MIDDLE: no instruction begins at stepped+0x9: the next one begins at stepped+0x10
// BEHIND: stepped+0x1000 is past the function's end: it is 0x{{[0-9a-f]+}} bytes long
// NAME: matches stepped+zz
// NOLINE: line 300 of parser.c has no code; the nearest line that has code is 12{{[3-5]}}
// OUTSIDE: 0x10 is in no module whose code can be probed
// SLEDS: tpctl: error: 'stepped+0x8' selects single instructions, which have no sleds: leave out --sleds{{$}}
// FILEONLY: tpctl: error: -b lists only the sleds of a file, but single instructions need a process: instead of -b, give -p PID, or -- COMMAND
// TIMED: selects an instruction as well as entries or exits, whose times are measured, but an instruction has none: select them separately
#include "Inputs/means.h"
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

__asm__(FUNCTION("stepped", "0", "movl $1, %eax\nnopl (%rax)\nlock incq calls(%rip)\n" RET_PADDED));
int stepped(void);
long calls;

static void run(const char *tpctl, const char *arguments) {
  char command[4096];
  fflush(stdout);
  snprintf(command, sizeof command, "%s %s -p %d", tpctl, arguments, getpid());
  if (system(command))
    puts("tpctl failed");
}
static int parse(int number);

int main(int argc, char **argv) {
  int sum = 0;
  if (argc == 2) {
    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
    run(argv[1], "on --code --print stepped+0x8");
    stepped();
    run(argv[1], "on --code @parser.c:122");
  }
  for (int i = 0; i < 5; ++i)
    sum += stepped() + parse(i);
  if (argc == 2)
    run(argv[1], "status");
  return sum == 0;
}

// Two instructions for which a jump has room in an aligned word.
#line 120 "parser.c"
__attribute__((noipa, aligned(16))) static int parse(int number) {
  __asm__ volatile("movl $9, %%ecx\n\tnopl (%%rax)" ::: "ecx");
  __asm__ volatile("movl $7, %%eax" ::: "eax");
  return number ^ 3;
}
