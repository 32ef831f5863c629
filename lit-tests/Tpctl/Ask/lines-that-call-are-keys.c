// --by line sorts calls by the line that calls, also in inlined functions. An argument of this name goes first, and
// without debug information the calling function is shown.
//
// REQUIRES: tpctl, x86_64-host
// RUN: gcc -g -O2 %s -o %t
// RUN: %tpctl count --code --traps work --by line --format csv -o - -- %t | FileCheck %s --match-full-lines
// CHECK: seconds,line,hits
// CHECK-NEXT: {{[0-9.]+}},lines-that-call-are-keys.c:[[#@LINE+21]],7
// CHECK-NEXT: {{[0-9.]+}},lines-that-call-are-keys.c:[[#@LINE+14]],3
// RUN: %tpctl count --code --traps take_line --by line --format csv -o - -- %t | FileCheck %s --check-prefix=ARGUMENT
// ARGUMENT: seconds,line,hits
// ARGUMENT-NEXT: ,12,1
// RUN: cp %t %t.stripped && strip -g %t.stripped
// RUN: %tpctl count --code --traps work --by line --format csv -o - -- %t.stripped | FileCheck %s --check-prefix=STRIPPED
// STRIPPED: ,main,10

#define KEPT __attribute__((noinline, used))

KEPT int work(int n) { __asm__ volatile("" : "+r"(n)::"memory"); return n + 1; }
KEPT int take_line(int line) { __asm__ volatile("" : "+r"(line)::"memory"); return line; }

static inline __attribute__((always_inline)) int inlined(int n) {
  return work(n) * 3;
}

int main(void) {
  int sum = take_line(12);
  for (int i = 0; i < 7; i++)
    sum += work(i);
  for (int i = 0; i < 3; i++)
    sum += inlined(i);
  return sum == 0;
}
