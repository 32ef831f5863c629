// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A process into which tpctl refuses to load libtprt. The argument selects the reason.
#define _GNU_SOURCE
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <unistd.h>

static int is(const char *what, const char *argument) {
  return argument && !strcmp(what, argument);
}

static void *waitInThread(void *data) {
  (void)data;
  dprintf(1, "%ld\n", syscall(SYS_gettid));
  pause();
  return NULL;
}

// A filter that allows everything.
static void filter(void) {
  struct sock_filter allow = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  struct sock_fprog program = {1, &allow};
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
}

static void spin(int number) {
  (void)number;
  for (volatile int n = 0;; ++n) {
  }
}

int main(int argc, char **argv) {
  (void)argc;
  if (is("zombie", argv[1]) && fork())
    pause();
  if (is("traced", argv[1]))
    ptrace(PTRACE_TRACEME, 0, 0, 0);
  if (is("user", argv[1]) && setuid(65534))
    return 1;
  if (is("vfork", argv[1]) && vfork())
    pause();
  if (is("thread", argv[1])) {
    pthread_t thread;
    pthread_create(&thread, NULL, waitInThread, NULL);
    pause();
  }
  dprintf(1, "%d\n", getpid());
  if (is("zombie", argv[1]))
    return 0;
  if (is("strict", argv[1]))
    prctl(PR_SET_SECCOMP, 1, 0, 0, 0);
  if (is("filter", argv[1]))
    filter();
  if (is("stopped", argv[1]))
    raise(SIGSTOP);
  if (is("spins", argv[1])) {
    alarm(100); // if the test ends before it has killed this program
    signal(SIGUSR1, spin);
    raise(SIGUSR1);
  }
  char byte;
  return (int)read(0, &byte, 1);
}
