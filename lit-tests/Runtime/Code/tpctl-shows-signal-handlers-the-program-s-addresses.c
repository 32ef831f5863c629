// A fault handler looks up the faulting instruction in a table. With tpctl --signals it finds the instruction
// while the function is probed: the handler sees the program's own address, not the address of the copy that the
// hit executes.
//
// REQUIRES: tpctl
// RUN: gcc -O2 %s -o %t && rm -f %t.tp
// RUN: %tpctl count --code 'tpctl-shows*!divide' -- %t 2>&1 | FileCheck %s --check-prefix=WITHOUT
// RUN: %tpctl count --code --signals 'tpctl-shows*!divide' -- %t 2>&1 | FileCheck %s
// RUN: %tpctl hist --code --signals 'tpctl-shows*!divide' -- %t 2>&1 | FileCheck %s
// RUN: %tpctl top --batch --code --signals 'tpctl-shows*!divide' -- %t 2>&1 | FileCheck %s
// RUN: %tpctl trace --code --signals 'tpctl-shows*!divide' -- %t 2>&1 | FileCheck %s
// RUN: %tpctl record --code --signals -o %t.tp 'tpctl-shows*!divide' -- %t 2>&1 | FileCheck %s
// RUN: %python -c "import subprocess as s; p = s.Popen(['%t', 'ready'], stdin=s.PIPE, stdout=s.PIPE, text=True, env={'LD_PRELOAD': '%{libdir}/libtprt.so', 'TPRT_OPTIONS': 'control=1'}); p.stdout.readline(); s.run(['%tpctl', 'on', '--code', '--signals', '-p', str(p.pid), 'tpctl-shows*!divide'], check=True); print(p.communicate('go')[0])" | FileCheck %s
// RUN: not %tpctl trace --signals x.tp 2>&1 | FileCheck %s --check-prefix=FILE
//
// WITHOUT: another address
// CHECK: the division of the table
// FILE: --signals and -f are for running processes
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <ucontext.h>
#include <unistd.h>

// The first instruction divides, has the length that a jump needs, and is followed by dead bytes.
__asm__(".text\n.p2align 4\n.globl divide\n.type divide, @function\ndivide:\n.cfi_startproc\nidivl 0x1000(%rdi)\nret\n"
        ".cfi_endproc\n.size divide, . - divide\n.p2align 4\n");
int divide(const int *numbers);

static void onFault(int number, siginfo_t *info, void *context) {
  greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
  (void)number, (void)info;
  int known = registers[REG_RIP] == (greg_t)divide;
  const char *text = known ? "the division of the table\n" : "another address\n";
  write(1, text, known ? 26 : 16);
  _exit(0);
}

// With an argument, the program reports that it has started, and libtprt before it.
int main(int count, char **arguments) {
  char line[10];
  (void)arguments;
  if (count > 1)
    write(1, "ready\n", 6);
  if (!isatty(0))
    read(0, line, sizeof line);
  struct sigaction action = {.sa_sigaction = onFault, .sa_flags = SA_SIGINFO};
  sigaction(SIGFPE, &action, NULL);
  static int zeros[2048];
  return divide(zeros);
}
