// A seccomp filter kills the process for clock_gettime with the clock of the points' lines.
// If this fails, the process ends at the first line. Under the filter, the line has no time.
//
// REQUIRES: x86_64-host
// RUN: %plain_clang -O2 %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: 00:00:00.000000 {{[0-9]+}} shown: 7
// CHECK-NEXT: alive
#include "tprt/point.h"
#include "tprt/trace.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

TPRT_POINT(shown);

int main(void) {
  struct sock_filter code[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
                               BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clock_gettime, 0, 3),
                               BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
                               BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, CLOCK_REALTIME, 0, 1),
                               BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
                               BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  struct sock_fprog filter = {sizeof code / sizeof *code, code};
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
  tprt_point_output output = TPRT_POINT_OUTPUT(STDOUT_FILENO);
  tprt_action print = {.flags = TPRT_HANDLER_GENERAL_REGS_ONLY, .handler = tprt_point_print, .data = &output};
  tprt_probe *probe;
  if (tprt_point_enable(&shown, &print, &probe, NULL))
    return fprintf(stderr, "%s\n", tprt_error_string()), 1;
  TPRT_TRACE(shown, "%d", 7);
  puts("alive");
  return 0;
}
