// A program forks, and attaches, in a callback of its own dl_iterate_phdr, which
// has the loader's lock, while another thread attaches. The loader's lock is always
// acquired before any lock of the runtime, so the threads do not deadlock.
//
// RUN: %clang -O2 -pthread -fplugin-arg-tp-entry=2,0 %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: 500 forks, 0 children failed
// CHECK-NEXT: 500 attached, 0 failed
// CHECK-NEXT: 500 forks outside, 0 children failed
#define _GNU_SOURCE
#include "tprt/tprt.h"
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

__attribute__((noinline)) void work(void) { __asm__ volatile(""); }
static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) {}

static int toggle(void) {
  tprt_selector selector = {.function = "work"};
  tprt_action action = {.handler = onHit};
  tprt_probe *probe;
  return tprt_probe_attach(&selector, &action, &probe, NULL) || tprt_probe_detach(probe, -1);
}
static void *toggleForEver(void *unused) {
  for (;;)
    toggle();
}

static int forkHere(struct dl_phdr_info *info, size_t size, void *failed) {
  int status = 1;
  pid_t child = fork();
  if (!child)
    _exit(0); // here the parent's thread holds the loader's lock, as without a runtime
  waitpid(child, &status, 0);
  *(int *)failed += status != 0;
  return 1;
}
static int attachHere(struct dl_phdr_info *info, size_t size, void *failed) {
  *(int *)failed += toggle();
  return 1;
}
static int lookHere(struct dl_phdr_info *info, size_t size, void *data) { return 0; }

int main(void) {
  alarm(100); // what hangs is a failure
  pthread_t thread;
  pthread_create(&thread, NULL, toggleForEver, NULL);
  int failed = 0, i;
  for (i = 0; i < 500; ++i)
    dl_iterate_phdr(forkHere, &failed);
  printf("%d forks, %d children failed\n", i, failed);
  failed = 0;
  for (i = 0; i < 500; ++i)
    dl_iterate_phdr(attachHere, &failed);
  printf("%d attached, %d failed\n", i, failed);
  failed = 0;
  // In a child of any other fork the loader's lock is free, and so are ours.
  for (i = 0; i < 500; ++i) {
    int status = 1;
    pid_t child = fork();
    if (!child) {
      alarm(20);
      _exit(dl_iterate_phdr(lookHere, NULL) || toggle());
    }
    waitpid(child, &status, 0);
    failed += status != 0;
  }
  printf("%d forks outside, %d children failed\n", i, failed);
  fflush(stdout);
  _exit(0);
}
