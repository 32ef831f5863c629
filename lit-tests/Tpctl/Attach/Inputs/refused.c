// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A process into which libtprt is not loaded; the argument says why.
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <unistd.h>

static int is(const char *what, const char *argument) {
  return argument && !strcmp(what, argument);
}

int main(int argc, char **argv) {
  (void)argc;
  if (is("zombie", argv[1]) && fork())
    pause();
  if (is("traced", argv[1]))
    ptrace(PTRACE_TRACEME, 0, 0, 0);
  if (is("user", argv[1]) && setuid(65534))
    return 1;
  printf("%d\n", getpid());
  fflush(stdout);
  if (is("zombie", argv[1]))
    return 0;
  if (is("strict", argv[1]))
    prctl(PR_SET_SECCOMP, 1, 0, 0, 0);
  if (is("stopped", argv[1]))
    raise(SIGSTOP);
  if (is("spins", argv[1]))
    for (volatile int n = 0;; ++n) {
    }
  char byte;
  return (int)read(0, &byte, 1);
}
