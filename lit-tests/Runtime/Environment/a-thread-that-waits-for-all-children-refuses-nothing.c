// A thread of the program waits for all children, as tracers and init programs do (__WALL). It may receive the exit status of
// the child in which libtprt tries system calls. If this fails, an attach under a seccomp filter is then refused, or libtprt
// makes several such children.
//
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: all done, 20 hits, at most 1 child seen, SIGCHLD 0 times
#define _GNU_SOURCE
#include "tprt/tprt.h"
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static int hits, told;
static volatile int seen, ready;
static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) { ++hits; }
static void onChild(int number) { ++told; }
__attribute__((noinline)) void f(void) { __asm__ volatile(""); }

// This thread waits all the time, as the program has a child of its own.
static void *reap(void *unused) {
  for (ready = 1; waitpid(-1, NULL, __WALL) > 0;)
    ++seen;
  return NULL;
}

int main(void) {
  pthread_t reaper;
  signal(SIGCHLD, onChild);
  pid_t own = fork();
  if (own == 0)
    for (;;)
      pause();
  pthread_create(&reaper, NULL, reap, NULL);
  while (!ready)
    sched_yield();
  struct sock_filter all[] = {BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  struct sock_fprog filter = {1, all};
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
  tprt_selector selector = {.function = "f"};
  tprt_action action = {.handler = onHit};
  for (int i = 0; i < 20; ++i) {
    tprt_probe *probe;
    if (tprt_probe_attach(&selector, &action, &probe, NULL))
      return puts(tprt_error_string()), 1;
    f();
    tprt_probe_detach(probe, -1);
  }
  kill(own, SIGKILL);
  pthread_join(reaper, NULL);
  --seen, --told; // its own
  printf("all done, %d hits, %s seen, SIGCHLD %d times\n", hits, seen > 1 ? "several children" : "at most 1 child", told);
}
