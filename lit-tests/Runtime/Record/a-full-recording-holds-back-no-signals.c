// When a recording is full, each further event is only counted. If it also held back signals to
// search for a block again, a program would be tens of times slower from then on. The program
// forbids itself the system call for that once the recording is full.
//
// REQUIRES: x86_64-host
// RUN: %clang -O1 -fplugin-arg-tp-entry=2,0 -fplugin-arg-tp-exit %s %tprt_flags -o %t
// RUN: env TPRT_OPTIONS="record=%t.full:one mode=full size=1M" %t 2>&1 | FileCheck %s
// RUN: env TPRT_OPTIONS="record=%t.all:one mode=all size=1M" %t 2>&1 | FileCheck %s
//
// CHECK: the recording's size is reached
// CHECK: 1000 calls later
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

__attribute__((noinline)) static int one(int x) {
  __asm__ volatile("" : "+r"(x));
  return x;
}

__attribute__((tp_never)) int main(void) {
  int sum = 0;
  for (int i = 0; i < 200000; ++i)
    sum += one(0);
  struct sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_rt_sigprocmask, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {sizeof code / sizeof *code, code};
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
  for (int i = 0; i < 1000; ++i)
    sum += one(0);
  dprintf(1, "1000 calls later\n");
  syscall(SYS_exit_group, sum); // libtprt would hold back signals to end the recording
}
