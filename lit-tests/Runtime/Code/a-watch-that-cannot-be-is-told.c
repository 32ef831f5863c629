// The thread that looks for uprobes cannot be started, because a limit is reached or a filter would kill the process. If
// this fails, an attach fails or ends the process, or the user gets no message.
//
// REQUIRES: x86_64-host
// RUN: gcc -O1 %s %tprt_flags -o %t
// RUN: env TPRT_OPTIONS=verbose=1 %t limit 2>&1 | FileCheck %s --check-prefixes=LIMIT,CHECK
// RUN: env TPRT_OPTIONS=verbose=1 %t kill 2>&1 | FileCheck %s --check-prefixes=KILL,CHECK
// RUN: env TPRT_OPTIONS=verbose=1 %t kill_flags 2>&1 | FileCheck %s --check-prefixes=KILL,CHECK
//
// LIMIT: tprt: the thread that looks for uprobes {{.*}} cannot be started: a limit on threads or memory is reached
// KILL: tprt: the thread that looks for uprobes {{.*}} cannot be started: the system refused
// CHECK-NOT: tprt:
// CHECK: 1 thread, 2 hits
#define _GNU_SOURCE
#include "Inputs/watch.h"
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

int main(int count, char **arguments) {
  (void)count;
  const uint32_t thread = strcmp(arguments[1], "limit") == 0 ? SECCOMP_RET_ERRNO | EAGAIN : SECCOMP_RET_KILL_PROCESS;
  const uint32_t clone3 = strcmp(arguments[1], "kill_flags") == 0 ? SECCOMP_RET_ERRNO | ENOSYS : thread;
  struct sock_filter filter[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
                                 BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone3, 0, 1),
                                 BPF_STMT(BPF_RET | BPF_K, clone3),
                                 BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 3),
                                 BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
                                 BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 0, 1),
                                 BPF_STMT(BPF_RET | BPF_K, thread),
                                 BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
    return 1;
  tprt_probe *probe = attachCode("number"), *other = attachCode("number_of_two");
  long wrong = number(1) != 2 || number_of_two(2) != 3;
  int id, running = threads("tprt-watch", &id);
  uint64_t hits = tprt_probe_count(probe) + tprt_probe_count(other);
  wrong |= tprt_probe_detach(probe, -1) || tprt_probe_detach(other, -1);
  printf("%d thread, %lu hits\n", running, (unsigned long)hits);
  return (int)wrong;
}
