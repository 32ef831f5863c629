// A program reports at its end how many lines print= could not write. If this fails, such lines are
// lost without a message, or a child of fork() counts its parent's lines.
//
// RUN: %plain_clang -O2 %s %tprt_flags -Wl,--no-as-needed -o %t
// RUN: env TPRT_OPTIONS=print=number,output=/dev/full %t 2>&1 | FileCheck %s
// RUN: env TPRT_OPTIONS=print=number,output=%t.lines %t 2>&1 | FileCheck --check-prefix=TAKEN %s
//
// CHECK: the child ends
// CHECK-NEXT: tprt: 2 lines of print= were lost: /dev/full did not accept the whole lines
// CHECK-NEXT: the parent ends
// CHECK-NEXT: tprt: 3 lines of print= were lost: /dev/full did not accept the whole lines
// CHECK-NOT: tprt
//
// TAKEN: the child ends
// TAKEN-NEXT: the parent ends
// TAKEN-NOT: tprt
#include "tprt/trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

TPRT_POINT(number);

static void say(const char *text) {
  puts(text);
  fflush(stdout);
}

int main(void) {
  for (int i = 0; i < 3; ++i)
    TPRT_TRACE(number, "%d", i);
  pid_t child = fork();
  if (child == 0) {
    for (int i = 0; i < 2; ++i)
      TPRT_TRACE(number, "%d", i);
    say("the child ends");
    _exit(0);
  }
  waitpid(child, NULL, 0);
  say("the parent ends");
  return 0;
}
