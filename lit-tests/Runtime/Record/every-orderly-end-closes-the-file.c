// A program that ends by exit, quick_exit or _exit closes its recording, and readers report
// nothing unusual. If a signal ends a program, the recording stays open. It still has every
// event with its time, and each command says that the program did not end by itself.
//
// REQUIRES: x86_64-host
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 -fplugin-arg-tp-exit %s -o %t %tprt_flags
// RUN: rm -f %t.rec && env TPRT_OPTIONS="record=%t.rec:step" %t exit
// RUN: %tpctl report %t.rec 2>&1 | FileCheck %s --check-prefixes=ALL,CLOSED
// RUN: rm -f %t.rec && env TPRT_OPTIONS="record=%t.rec:step" %t quick_exit
// RUN: %tpctl report %t.rec 2>&1 | FileCheck %s --check-prefixes=ALL,CLOSED
// RUN: rm -f %t.rec && env TPRT_OPTIONS="record=%t.rec:step" %t _exit
// RUN: %tpctl report %t.rec 2>&1 | FileCheck %s --check-prefixes=ALL,CLOSED
// RUN: rm -f %t.rec && not --crash env TPRT_OPTIONS="record=%t.rec:step" %t abort
// RUN: %tpctl report %t.rec 2>&1 | FileCheck %s --check-prefixes=OPEN,ALL
// RUN: %tpctl pack %t.rec
// RUN: %tpctl report %t.rec 2>&1 | FileCheck %s --check-prefixes=OPEN,ALL
// RUN: rm -f %t.rec && not --crash env TPRT_OPTIONS="record=%t.rec:step" %t kill
// RUN: %tpctl trace %t.rec 2>&1 | FileCheck %s --check-prefix=OPEN
// RUN: rm -f %t.rec && env TPRT_OPTIONS="record=%t.rec:step" %t child
// RUN: %tpctl report %t.rec 2>&1 | FileCheck %s --check-prefix=OPEN
//
// A recording that is read while the program runs is still open, and nobody was killed.
// RUN: rm -f %t.rec && env TPRT_OPTIONS="record=%t.rec:step" %t wait %tpctl report %t.rec 2>&1 | FileCheck %s --check-prefix=RUNS
//
// OPEN: note: {{.*}}: 1 process did not end its recording: a signal killed the process
// OPEN-NOT: {{is still recording|rate is not known}}
// RUNS: note: {{.*}}: 1 process is still recording
// RUNS-NOT: did not end
// ALL: 1000 {{.*}}step
// ALL: 2000 events of 1 thread in {{.*}}, none lost
// CLOSED-NOT: note
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

__attribute__((noinline)) void step(void) { __asm__ volatile(""); }

int main(int count, char **arguments) {
  const char *how = count > 1 ? arguments[1] : "exit";
  pid_t child = strcmp(how, "child") ? -1 : fork();
  for (int i = 0; i < 1000; ++i)
    step();
  if (child > 0)
    waitpid(child, NULL, 0);
  else if (child == 0 || !strcmp(how, "kill"))
    raise(SIGSEGV);
  else if (!strcmp(how, "abort"))
    abort();
  else if (!strcmp(how, "quick_exit"))
    quick_exit(0);
  else if (!strcmp(how, "_exit"))
    _exit(0);
  else if (!strcmp(how, "wait")) {
    unsetenv("TPRT_OPTIONS");
    if ((child = vfork()) == 0) {
      execvp(arguments[2], arguments + 2);
      _exit(1);
    }
    waitpid(child, NULL, 0);
  }
  return 0;
}
