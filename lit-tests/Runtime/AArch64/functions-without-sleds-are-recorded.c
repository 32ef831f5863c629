// Entries and tail exits of functions without sleds are recorded, with their arguments. A function that is left by a
// jump has a duration; the return of the other is refused, so a recording shows when it was called. The program's
// result stays the same.
//
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: %plain_clang -O2 -Wl,--no-as-needed %s %tprt_flags -o program
// RUN: env TPRT_OPTIONS='record=out.tpt:program!jumps record=out.tpt:program!returns code=1 args=1' ./program 2>/dev/null | FileCheck %s --check-prefix=RESULT
// RUN: %tpctl trace out.tpt | FileCheck %s
//
// RESULT: 130
// CHECK-COUNT-5: {{jumps\(arg0=0x[0-4]\)  \(tail call\)}}
// CHECK-COUNT-5: {{returns\(arg0=0x[5-9]\)$}}
#include <stdio.h>
__attribute__((noinline)) long inner(long x) {
  __asm__ volatile("" : "+r"(x));
  return x + 1;
}
__attribute__((noinline, patchable_function_entry(1))) long jumps(long x) {
  __asm__ volatile("" : "+r"(x));
  return inner(x * 2);
}
__attribute__((noinline, patchable_function_entry(1))) long returns(long x) {
  __asm__ volatile("" : "+r"(x));
  return x * 3;
}
int main(void) {
  long sum = 0;
  for (long i = 0; i < 5; ++i)
    sum += jumps(i);
  for (long i = 5; i < 10; ++i)
    sum += returns(i);
  printf("%ld\n", sum);
}
