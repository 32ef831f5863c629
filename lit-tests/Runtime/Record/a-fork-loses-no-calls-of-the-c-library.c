// The C library calls its own functions in the child of fork() before any handler of pthread_atfork() runs there. If
// this fails, each fork of a program whose C library is recorded shows as lost events.
//
// REQUIRES: tpctl, x86_64-host
// RUN: %plain_clang -O1 %s -o %t && rm -f %t.rec*
// RUN: %tpctl record -o %t.rec --code 'libc.so.6!*' -- %t 2>&1 | FileCheck %s
// RUN: %tpctl report %t.rec 2>&1 | FileCheck %s --check-prefix=REPORT --implicit-check-not='lost by the recorder'
//
// CHECK: events, none lost
// REPORT-DAG: {{^ +20 .*[Ff]ork$}}
// REPORT-DAG: {{^ +2000 .*snprintf$}}
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void) {
  for (int i = 0; i < 20; ++i) {
    pid_t child = fork();
    if (child == 0) {
      char text[16];
      for (int k = 0; k < 100; ++k)
        snprintf(text, sizeof text, "%d", k);
      _exit(0);
    }
    waitpid(child, NULL, 0);
  }
}
