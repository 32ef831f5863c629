// If membarrier fails, or a seccomp filter kills for membarrier, attach refuses and gives
// that reason. The same holds if the filter was set before the program started. The
// program must not see a child process end, and must not be killed.
//
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 %s %tprt_flags -o %t
// RUN: %t 1 | FileCheck --check-prefixes=CHECK,EPERM %s
// RUN: %t 38 | FileCheck --check-prefixes=CHECK,ENOSYS %s
// RUN: %t kill | FileCheck --check-prefixes=CHECK,EPERM %s
// RUN: %t kill before | FileCheck --check-prefixes=CHECK,EPERM %s
//
// CHECK: free: it was done{{$}}
// CHECK-NEXT: filtered: the system cannot synchronise all cores with new code (membarrier SYNC_CORE)
// EPERM-NEXT: membarrier(PRIVATE_EXPEDITED_SYNC_CORE) failed (errno 1): code can't be changed safely here; a seccomp
// ENOSYS-NEXT: membarrier(PRIVATE_EXPEDITED_SYNC_CORE) failed (errno 38): code can't be changed safely here; a seccomp
// CHECK-NEXT: still running, 0 hits, 0 children ended
#include "tprt/tprt.h"
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static int hits, children;
static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) { ++hits; }
static void onChild(int number) { ++children; }
__attribute__((noinline)) void f(void) { __asm__ volatile(""); }

static void forbid(const char *how) {
  unsigned action = strcmp(how, "kill") ? SECCOMP_RET_ERRNO | (unsigned)atoi(how) : SECCOMP_RET_KILL_PROCESS;
  struct sock_filter code[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
                               BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_membarrier, 0, 1),
                               BPF_STMT(BPF_RET | BPF_K, action), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  struct sock_fprog filter = {sizeof code / sizeof *code, code};
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
}

int main(int argc, char **argv) {
  tprt_selector selector = {.function = "f"};
  tprt_action action = {.handler = onHit};
  tprt_probe *probe;
  if (argc == 3 && strcmp(argv[2], "before") == 0) {
    puts("free: it was done");
    fflush(stdout);
    forbid(argv[1]);
    execl(argv[0], argv[0], argv[1], "again", NULL);
  } else if (argc == 2) {
    printf("free: %s\n", tprt_status_string(tprt_probe_attach(&selector, &action, &probe, NULL)));
    tprt_probe_detach(probe, -1);
    forbid(argv[1]);
  }
  signal(SIGCHLD, onChild);
  fflush(stdout);
  printf("filtered: %s\n", tprt_status_string(tprt_probe_attach(&selector, &action, &probe, NULL)));
  puts(tprt_error_string());
  f();
  printf("still running, %d hits, %d children ended\n", hits, children);
}
