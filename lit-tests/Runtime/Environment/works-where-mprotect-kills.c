// A seccomp filter kills a process that makes code writable by mprotect, or memory executable. Code must be
// written through /proc/self/mem instead, and the process must not be killed. If started by root, the test
// also runs as another user, because the right to open /proc/self/mem depends on whether the process is
// dumpable.
//
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
// RUN: %t other | FileCheck %s
// RUN: %t executable memory | FileCheck %s
//
// CHECK: it was done, 1 hit, then 1
#include "../Inputs/hits-then-none.h"
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int count, char **arguments) {
  if (count == 2 && !geteuid() && setreuid(65534, 65534))
    return puts("cannot become another user");
  prctl(PR_SET_DUMPABLE, 1, 0, 0, 0); // the change of user cleared that flag
  unsigned rights = count == 3 ? PROT_EXEC : PROT_WRITE | PROT_EXEC;
  struct sock_filter code[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
                               BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mprotect, 0, 4),
                               BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2])),
                               BPF_STMT(BPF_ALU | BPF_AND | BPF_K, rights),
                               BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, rights, 0, 1),
                               BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
                               BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  struct sock_fprog filter = {sizeof code / sizeof *code, code};
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
  return hitsThenNone();
}
