// A command runs many programs, and most of them do not have the functions that TPRT_OPTIONS names. Only the first
// program reports this when it starts. With verbose=2, each program does.
//
// REQUIRES: x86_64-host
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 -fplugin-arg-tp-exit %s -o %t %tprt_flags
// RUN: env TPRT_OPTIONS='record=%t.rec:other' %t 3 2>&1 | grep -c 'no function or point matches so far' | FileCheck %s
// RUN: env TPRT_OPTIONS='record=%t.rec:other verbose=2' %t 3 2>&1 | grep -c 'no function or point matches so far' \
// RUN:   | FileCheck --check-prefix=EACH %s
//
// CHECK: {{^}}1{{$}}
// EACH: {{^}}4{{$}}
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

__attribute__((noinline)) void step(void) { __asm__ volatile(""); }

int main(int count, char **arguments) {
  int left = count > 1 ? atoi(arguments[1]) : 0;
  step();
  if (!left)
    return 0;
  if (!fork()) {
    char text[12];
    snprintf(text, sizeof text, "%d", left - 1);
    execl(arguments[0], arguments[0], text, (char *)NULL);
    _exit(1);
  }
  wait(NULL);
}
