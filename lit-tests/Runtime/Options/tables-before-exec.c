// A program that replaces itself by another program (exec) first prints its table, whichever exec
// function it calls. A failed attempt, as in a search along PATH, prints nothing.
//
// REQUIRES: x86_64-host
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 %s -o %t
// RUN: sh -c 'for how in 0 1 2 3 4 5 6 7; do env LD_PRELOAD=%{libdir}/libtprt.so TPRT_OPTIONS=count=run %t $how; done' >%t.all 2>&1
// RUN: FileCheck %s --input-file=%t.all
// RUN: FileCheck %s --input-file=%t.all --check-prefix=RAN
// RUN: env LD_PRELOAD=%{libdir}/libtprt.so TPRT_OPTIONS=count=run %t 8 2>&1 | FileCheck %s --check-prefix=FAILS
//
// A child of fork prints no table: its counts up to then belong to its parent.
// RUN: env LD_PRELOAD=%{libdir}/libtprt.so TPRT_OPTIONS=count=run %t 9 2>&1 | FileCheck %s --check-prefix=CHILD
//
// CHECK-COUNT-8: tprt: 1 call of 1 function (1 watched) in tables-before{{.*}}, before it runs {{.*(echo|a file)$}}
// RAN-COUNT-8: {{^}}it ran
// FAILS-NOT: tprt
// FAILS: failed
// FAILS: tprt: 1 call of 1 function
// FAILS-NOT: tprt
// CHILD-NOT: tprt
// CHILD: it ran
// CHILD: tprt: 1 call of 1 function
// CHILD-NOT: tprt
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
__attribute__((noinline)) void run(int how) {
  char *arguments[] = {"echo", "it ran", NULL}, *empty[] = {NULL};
  switch (how) {
  case 0:
    execl("/bin/echo", "echo", "it ran", (char *)NULL);
  case 1:
    execlp("echo", "echo", "it ran", (char *)NULL);
  case 2:
    execle("/bin/echo", "echo", "it ran", (char *)NULL, empty);
  case 3:
    execv("/bin/echo", arguments);
  case 4:
    execvp("echo", arguments);
  case 5:
    execvpe("echo", arguments, empty);
  case 6:
    execve("/bin/echo", arguments, empty);
  case 7:
    fexecve(open("/bin/echo", O_RDONLY), arguments, empty);
  case 8:
    execl("/nonexistent/echo", "echo", (char *)NULL);
    execlp("no-such-program", "echo", (char *)NULL);
    fprintf(stderr, "failed\n");
    return;
  case 9:
    if (!fork())
      execle("/bin/echo", "echo", "it ran", (char *)NULL, empty);
    wait(NULL);
  }
}
int main(int argc, char **argv) { run(atoi(argv[1])); }
