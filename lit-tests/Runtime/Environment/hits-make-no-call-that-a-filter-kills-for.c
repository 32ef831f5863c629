// A seccomp filter kills the process for one of the system calls that libtprt makes at hits. The
// attach tries these calls in a child process, and hits then skip the calls that failed. If this
// fails, the process ends at a thread's first hit, or at a hit inside a handler.
//
// RUN: %clang -O2 -pthread -fplugin-arg-tp-entry=2,0 %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: gettid: 2 hits, 2 missed
// CHECK-NEXT: getpid: 2 hits, 2 missed
// CHECK-NEXT: sigaltstack: 2 hits, 2 missed
// CHECK-NEXT: tgkill: 2 hits, 2 missed
#include "../Inputs/harness.h"
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static int hits;
__attribute__((noinline)) void g(void) { __asm__ volatile(""); }
__attribute__((noinline)) void f(void) { __asm__ volatile(""); }
__attribute__((noinline, tp_never)) static void deep(void) { // too far for one stack
  volatile char room[8192];
  room[0] = 0;
  g();
}
__attribute__((tp_never)) static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) {
  ++hits;
  deep();
}
__attribute__((tp_never)) static void *run(void *unused) {
  f();
  return unused;
}

__attribute__((tp_never)) static void without(const char *name, unsigned number) {
  fflush(stdout);
  pid_t child = fork();
  int status;
  if (child) {
    waitpid(child, &status, 0);
    if (status)
      printf("%s: status %x\n", name, status);
    return;
  }
  struct sock_filter code[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
                               BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),
                               BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
                               BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  struct sock_fprog filter = {sizeof code / sizeof *code, code};
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
  attachHandler("[fg]", onHit, NULL);
  f();
  pthread_t thread;
  pthread_create(&thread, NULL, run, NULL);
  pthread_join(thread, NULL);
  tprt_stats stats = readStats();
  printf("%s: %d hits, %lu missed\n", name, hits, (unsigned long)stats.missed);
  fflush(stdout);
  _exit(0);
}

__attribute__((tp_never)) int main(void) {
  without("gettid", SYS_gettid);
  without("getpid", SYS_getpid);
  without("sigaltstack", SYS_sigaltstack);
  without("tgkill", SYS_tgkill);
}
