// A debugger that traces only the program's first thread sets a breakpoint at an enabled site that needs its first byte,
// and later removes the breakpoint. The thread that looks for uprobes is not traced, and must leave the site alone. When
// the debugger restores the first byte, the jump must be complete.
//
// RUN: gcc -O1 %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: the jump is whole: number(1) is 2, with 1 hit
#include "../Inputs/harness.h"
#include "Inputs/watch.h"
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

static void program(void) {
  ptrace(PTRACE_TRACEME, 0, 0, 0);
  tprt_probe *probe = attachCode("number");
  if (!awaitWatch(1))
    puts("no thread looks for uprobes");
  raise(SIGSTOP); // the breakpoint comes
  usleep(300000); // the thread looks some two hundred times a second
  raise(SIGSTOP); // the breakpoint goes
  int result = (int)number(1);
  printf("the jump is whole: number(1) is %d, with %d hit\n", result, (int)tprt_probe_count(probe));
  fflush(stdout);
  _exit(0);
}

int main(void) {
  pid_t pid = fork();
  if (!pid)
    program();
  int status;
  void *at = (void *)((unsigned long)number & ~7ul);
  waitpid(pid, &status, 0);
  long jump = ptrace(PTRACE_PEEKDATA, pid, at, 0), breakpoint = (jump & ~0xffl) | 0xcc;
  ptrace(PTRACE_POKEDATA, pid, at, (void *)breakpoint); // the function begins at a multiple of 16
  ptrace(PTRACE_CONT, pid, 0, 0);
  waitpid(pid, &status, 0);
  long now = ptrace(PTRACE_PEEKDATA, pid, at, 0);
  ptrace(PTRACE_POKEDATA, pid, at, (void *)((now & ~0xffl) | (jump & 0xff)));
  ptrace(PTRACE_CONT, pid, 0, 0);
  if (waitpid(pid, &status, 0) != pid || status)
    printf("the program ended with %#x\n", (unsigned)status), kill(pid, SIGKILL);
  return 0;
}
