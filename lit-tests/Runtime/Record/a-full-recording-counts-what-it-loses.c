// In mode UNTIL_FULL, recording ends when the file has reached its size. The recorded events
// stay, and every later event is counted as lost. Together these are all events. The program
// continues.
//
// REQUIRES: tpctl
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 -fplugin-arg-tp-exit %s -o %t %tprt_flags
// RUN: rm -f %t.rec && env TPRT_OPTIONS="record=%t.rec:step,mode=full,size=1M" %t 2>&1 | FileCheck %s --check-prefix=SAID
// RUN: %tpctl report %t.rec 2>&1 | FileCheck %s
// RUN: %tpctl report %t.rec 2>/dev/null | %python -c "import re, sys; a, b = re.search(r'(\d+) events .* (\d+) lost', sys.stdin.read()).groups(); print('sum', int(a) + int(b))" \
// RUN:   | FileCheck %s --check-prefix=SUM
//
// SAID: the recording's size is reached: further events are counted as lost
// SAID-NOT: reached
// SAID: {{^}}the program goes on{{$}}
// CHECK: lost
// SUM: sum 1000000
#include <stdio.h>
__attribute__((noinline)) void step(void) { __asm__ volatile(""); }

int main(void) {
  for (int i = 0; i < 500000; ++i)
    step();
  puts("the program goes on");
}
