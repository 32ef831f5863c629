// Variables at lines, by their locations there: arguments, locals in the frame and in registers, inner ones that hide
// outer ones, those of inlined functions, constants, and static ones. The sums are those that the program itself has
// added up. In optimized code a variable may have no value, and is refused then. If this fails, values are not those of
// the variables.
//
// REQUIRES: tpctl, x86_64-host
// RUN: gcc -g -O0 %s -o %t.0 && sh %S/Inputs/variables.sh %tpctl all %t.0
// RUN: %plain_clang -g -O0 %s -o %t.0c && sh %S/Inputs/variables.sh %tpctl all %t.0c
// RUN: gcc -g -O2 %s -o %t.2 && sh %S/Inputs/variables.sh %tpctl 5 %t.2
// RUN: %plain_clang -g -O2 %s -o %t.2c && sh %S/Inputs/variables.sh %tpctl 4 %t.2c
// RUN: gcc -g -O1 -fomit-frame-pointer -gsplit-dwarf %s -o %t.1 && sh %S/Inputs/variables.sh %tpctl 5 %t.1
//
// Several values of one hit, a condition, and text. Without debug information, registers are known.
// RUN: %tpctl count --code --traps @app.c:50 --if 'n == 26 && str(name) == "seven"' --by 'it->weight, thread != 0' --format csv -o - -- %t.0 | FileCheck %s --check-prefix=IF
// IF: ,25,1,1{{$}}
// RUN: %tpctl count --code --traps 'visit+4' --by '(int)$rdi' --format csv -o - -- %t.0 | FileCheck %s --check-prefix=REG
// REG-DAG: ,7,1{{$}}
// REG-DAG: ,19,1{{$}}
//
// What is not known there is an error. At the function's first instructions, arguments are not in their places yet.
// RUN: not %tpctl count --code --traps @app.c:50 --by 'n, nothing' -- %t.0 2>&1 | FileCheck %s --check-prefix=NAME
// NAME: tpctl: error: --by: 'nothing' is no variable at visit+0x{{[0-9a-f]+}} (app.c:50), where there are n, name, it, whole, far, doubled, total, text and others{{$}}
// NAME-NEXT: {{^ *}}n, nothing{{$}}
// NAME-NEXT: {{^ *   }}^~~~~~~{{$}}
// RUN: not %tpctl count --code --traps @app.c:50 --by arg0 -- %t.0 2>&1 | FileCheck %s --check-prefix=ARG
// ARG: tpctl: error: --by: 'arg0' is known when a call begins, and visit+0x{{.*}} is a single instruction; write the name of a variable, or a register, as in $rdi
// RUN: not %tpctl hist --code --traps @app.c:50 --by n -- %t.0 2>&1 | FileCheck %s --check-prefix=TIME
// TIME: tpctl: error: --of: 'duration' is known of calls, and visit+0x{{.*}} is a single instruction; select functions for it
// RUN: not %tpctl count --code --traps visit+4 --by n -- %t.0 2>&1 | FileCheck %s --check-prefix=EARLY
// EARLY: tpctl: error: --by: 'n' cannot be read: it gets its value after visit+0x4 (app.c:40), and has it from the offset 0x{{[0-9a-f]+}} of the function on
// RUN: not %tpctl count --code --traps @app.c:50 main --by result -- %t.0 2>&1 | FileCheck %s --check-prefix=MIXED
// MIXED: tpctl: error: '@app.c:50' selects single instructions, which have no result, duration or errno: select functions in a command of their own
// RUN: not %tpctl count main --by '$rdi' -- %t.0 2>&1 | FileCheck %s --check-prefix=CALL
// CALL: tpctl: error: --by: registers are known at single instructions, as of the pattern f+0x10; when a call begins, its arguments are arg0, arg1 and so on
#include <stdio.h>

struct item {
  int weight;
  char bits[3];
};
static long sums[12];
static short fixed = 3;
volatile int sink;

__attribute__((noinline)) void keep(int a, int b, int c) { sink = a + b + c; }

static inline int inlined(int part) {
  int half = part / 2;
#line 30 "app.c"
  keep(half, part, 0);
  return half;
}

#line 40 "app.c"
__attribute__((noinline)) int visit(int n, const char *name, struct item *it, struct item whole, long far) {
  long doubled = 2L * n;
  int total = inlined(n + 1);
  char text[8] = {0};
  text[n % 8] = (char)n;
  static int visits;
  visits += 2;
  {
    int n = it->weight + 1;
#line 50 "app.c"
    keep(n - 1 + text[3], total, (int)doubled + visits);
    sums[0] += n;
    sums[1] += doubled;
    sums[2] += it->weight;
    sums[3] += total;
    sums[4] += whole.weight;
    sums[5] += far;
    sums[6] += visits;
    sums[7] += text[3];
    sums[8] += name[0];
  }
  sums[9] += (n + 1) / 2;
  sums[10] += n + 1;
  return total + (int)far;
}

int main(void) {
  struct item one;
  for (int i = 0; i < 20; i++) {
    one.weight = 5 * i - 10;
    struct item whole = {i + 100, "ab"};
    sink = visit(i, i == 7 ? "seven" : "x", &one, whole, i - 1L);
  }
  const char *names[] = {"n", "doubled", "it->weight", "total", "whole.weight", "far", "visits", "text[3]", "name[0]"};
  for (int i = 0; i < 9; i++) {
#ifdef __OPTIMIZE__
    if (i == 6 || i == 7) // stores to memory move to other lines
      continue;
#endif
    printf("@app.c:50 %s %ld\n", names[i], sums[i]);
  }
  printf("@app.c:30 half %ld\n@app.c:30 part %ld\n@app.c:50 fixed %d\n", sums[9], sums[10], 20 * fixed);
  return 0;
}
