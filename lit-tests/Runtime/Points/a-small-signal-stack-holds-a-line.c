// If this fails, a line of a point in a signal handler overflows an alternate stack of
// SIGSTKSZ bytes, of which the kernel's frame takes up to 3.5 KiB.
//
// REQUIRES: x86_64-host
// RUN: %plain_clang -O2 %s %tprt_flags -o %t
// RUN: %t 2>&1 | FileCheck %s
//
// CHECK: shown: warm
// CHECK: shown: -179769313{{[0-9]+}}.{{0+}} 4.940656{{[0-9]+}}e-324
// CHECK: not overflowed
#include "tprt/point.h"
#include "tprt/trace.h"

#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

enum { kStack = 8192 };
TPRT_POINT(shown);

static void onSignal(int signal) {
  (void)signal;
  TPRT_TRACE(shown, "%.1074f %.900e", -1.7976931348623157e308, 4.94065645841246544e-324);
}

int main(void) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  char *memory = mmap(NULL, page + kStack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mprotect(memory, page, PROT_NONE);
  stack_t stack = {.ss_sp = memory + page, .ss_size = kStack};
  if (sigaltstack(&stack, NULL))
    return perror("sigaltstack"), 1;
  struct sigaction action = {.sa_handler = onSignal, .sa_flags = SA_ONSTACK};
  sigaction(SIGUSR1, &action, NULL);
  tprt_point_output output = TPRT_POINT_OUTPUT(STDERR_FILENO);
  tprt_action print = {.flags = TPRT_HANDLER_GENERAL_REGS_ONLY, .handler = tprt_point_print, .data = &output};
  tprt_probe *probe;
  if (tprt_point_enable(&shown, &print, &probe, NULL))
    return fprintf(stderr, "%s\n", tprt_error_string()), 1;
  // A thread's first hit takes a separate path, which saves all registers.
  TPRT_TRACE(shown, "warm");
  raise(SIGUSR1);
  fputs(output.lost ? "lost\n" : "not overflowed\n", stderr);
  return 0;
}
