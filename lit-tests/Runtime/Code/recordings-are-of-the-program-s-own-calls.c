// The recorder works inside hits. If all of the C library is recorded, the functions that the recorder calls would be
// events of a program that did not call them. Here the program calls one function of its own. After each thousand
// calls, the recorder needs another block of the file. The second of the two patterns is attached while the first one
// is on, and the calls made by that attach are recorded: several hundred, if libtprt looks for uprobes.
//
// REQUIRES: tpctl
// RUN: gcc -O1 %s -o %t
// RUN: %tpctl record --code -o %t.tp 'libc.so*!*' 'recordings*!f' -- %t | FileCheck %s --check-prefix=PROGRAM
// RUN: %tpctl report --format=csv %t.tp | cut -d, -f3,4 | FileCheck %s --implicit-check-not='syscall,{{([5-9]|[0-9][0-9])[0-9][0-9]}}' \
// RUN:   --implicit-check-not='__errno_location,{{([5-9]|[0-9][0-9])[0-9][0-9]}}' --implicit-check-not='madvise,{{([5-9]|[0-9][0-9])[0-9][0-9]}}' \
// RUN:   --implicit-check-not='prctl,{{([5-9]|[0-9][0-9])[0-9][0-9]}}' --implicit-check-not='sigmask,{{([5-9]|[0-9][0-9])[0-9][0-9]}}' \
// RUN:   --implicit-check-not='clock_gettime,{{([5-9]|[0-9][0-9])[0-9][0-9]}}'
//
// PROGRAM: done
// CHECK: {{^}}f,1000000
#include <stdio.h>

__attribute__((noinline, noclone)) int f(int i) {
  __asm__ volatile("");
  return i * 1000003 + 1;
}

int main(void) {
  int sum = 0;
  for (int i = 0; i < 1000000; ++i)
    sum ^= f(i);
  printf("done%c\n", sum ? 0x2e : 0x21);
  return 0;
}
