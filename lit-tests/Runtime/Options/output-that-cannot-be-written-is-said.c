// If a table of calls cannot be written completely, a message on standard error names the
// file and the reason, and the program ends as it would without the table.
//
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 %s %tprt_flags -Wl,--no-as-needed -ltprt -o %t
// RUN: mkdir -p %t.dir
// RUN: env TPRT_OPTIONS="count=f output=/dev/full" %t 2>&1 | FileCheck %s --check-prefix=FULL
// RUN: env TPRT_OPTIONS="count=f output=%t.dir" %t 2>&1 | FileCheck %s --check-prefix=FOLDER
// RUN: env TPRT_OPTIONS="count=f output=%t.table" %t limit 2>&1 | FileCheck %s --check-prefix=LIMIT
// RUN: env TPRT_OPTIONS="count=f output=%t.table" %t 2>&1 | FileCheck %s --check-prefix=GOOD
// RUN: FileCheck %s --check-prefix=TABLE --input-file=%t.table
//
// FULL: tprt: can't write /dev/full: No space left on device; the table follows here
// FULL: 1 f
// FULL: status 7
// FOLDER: tprt: can't write {{.*}}.dir: Is a directory; the table follows here
// FOLDER: 1 f
// FOLDER: status 7
// LIMIT: tprt: can't write {{.*}}.table: File too large; the table follows here
// LIMIT: status 7
// GOOD-NOT: tprt:
// GOOD: status 7
// TABLE: 1 f
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
__attribute__((noinline)) void f(void) { __asm__ volatile(""); }
int main(int count, char **arguments) {
  if (!fork()) {
    f();
    if (count > 1)
      setrlimit(RLIMIT_FSIZE, &(struct rlimit){0, 0});
    exit(7);
  }
  int status;
  wait(&status);
  printf(WIFEXITED(status) ? "status %d\n" : "signal %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : status);
  fflush(stdout);
  _exit(0);
}
