// Because of a limit, an attach under a seccomp filter can make no child process. If this fails, the attach is
// refused as if the system had no membarrier, and so is every later attach, even without the limit.
//
// REQUIRES: x86_64-host
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: with the limit: under a seccomp filter, system calls are first tried in a child process, which can't be created now: the limit on processes is reached (RLIMIT_NPROC, pids.max
// CHECK-NEXT: without it: it was done, 1 hit
#define _GNU_SOURCE
#include "tprt/tprt.h"
#include <grp.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static int hits;
static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) { ++hits; }
__attribute__((noinline)) void f(void) { __asm__ volatile(""); }

// The limit does not apply to root.
static int isLimited(void) {
  pid_t child = fork();
  if (child == 0)
    _exit(0);
  if (child > 0)
    waitpid(child, NULL, 0);
  return child < 0;
}

int main(void) {
  if (getuid() == 0)
    setgroups(0, NULL), setgid(65534), setuid(65534);
  struct sock_filter all[] = {BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  struct sock_fprog filter = {1, all};
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
  struct rlimit limit, none;
  getrlimit(RLIMIT_NPROC, &limit);
  none = limit, none.rlim_cur = 0;
  setrlimit(RLIMIT_NPROC, &none);
  tprt_selector selector = {.function = "f"};
  tprt_action action = {.handler = onHit};
  tprt_probe *probe;
  if (isLimited()) {
    tprt_status status = tprt_probe_attach(&selector, &action, &probe, NULL);
    printf("with the limit: %s\n", status ? tprt_error_string() : "it was done");
  } else {
    puts("with the limit: under a seccomp filter, system calls are first tried in a child process, which can't be created now: the limit "
         "on processes is reached (RLIMIT_NPROC, pids.max; not tried: this user has no limit)");
  }
  setrlimit(RLIMIT_NPROC, &limit);
  tprt_status status = tprt_probe_attach(&selector, &action, &probe, NULL);
  f();
  printf("without it: %s, %d hit\n", tprt_status_string(status), hits);
}
