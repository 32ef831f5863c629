// If there is no space for the beginning of a recording, the recording does not begin: a line
// says why, no file is left, and the program continues. The space may be limited, or the disk
// full.
//
// REQUIRES: x86_64-host
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 -fplugin-arg-tp-exit %s -o %t %tprt_flags
// RUN: rm -f %t.none && sh -c "ulimit -f 100; TPRT_OPTIONS=record=%t.none:step %t" 2>&1 | FileCheck %s
// RUN: not ls %t.none
//
// CHECK: RLIMIT_FSIZE (ulimit -f) is less than the 1 MiB that the recording needs
// CHECK: {{^}}the program runs{{$}}
#include <stdio.h>
__attribute__((noinline)) void step(void) { __asm__ volatile(""); }

int main(void) {
  step();
  puts("the program runs");
}
