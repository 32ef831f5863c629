// A vfork child runs in its parent's memory and thread block until it execs. Hits in the child must
// not disturb the child or the parent. The same holds if vfork is called from probed functions and
// other threads while another thread attaches and detaches.
//
// RUN: %clang -O2 -pthread -fplugin-arg-tp-entry=2,0 %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: 60 children, 0 failures, hits
#define _GNU_SOURCE
#include "tprt/tprt.h"
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static long hits;
static volatile int done;
__attribute__((tp_never)) static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) {
  __atomic_fetch_add(&hits, 1, __ATOMIC_RELAXED);
}
__attribute__((noinline)) void inChild(void) { __asm__ volatile(""); }
__attribute__((noinline)) pid_t byVfork(void) {
  pid_t child = vfork();
  if (child == 0) {
    for (volatile int i = 0; i < 100; ++i)
      inChild();
    execl("/bin/true", "true", NULL);
    _exit(9);
  }
  return child;
}
__attribute__((noinline)) pid_t bySpawn(void) {
  pid_t child = -1;
  char *arguments[] = {"true", NULL};
  posix_spawn(&child, "/bin/true", NULL, NULL, arguments, NULL);
  return child;
}
static void *spawn(void *failures) {
  for (int i = 0; i < 15; ++i)
    for (int way = 0; way < 2; ++way) {
      int status = 1;
      pid_t child = way ? byVfork() : bySpawn();
      if (child < 0 || waitpid(child, &status, 0) != child || status)
        ++*(int *)failures;
    }
  return NULL;
}
__attribute__((tp_never)) static void *toggle(void *failures) {
  tprt_selector selector = {.function = "*"};
  tprt_action action = {.handler = onHit};
  while (!done) {
    tprt_probe *probe;
    if (tprt_probe_attach(&selector, &action, &probe, NULL) != TPRT_STATUS_OK)
      return ++*(int *)failures, puts(tprt_error_string()), NULL;
    usleep(500);
    if (tprt_probe_detach(probe, 10000) != TPRT_STATUS_OK)
      return ++*(int *)failures, puts(tprt_error_string()), NULL;
  }
  return NULL;
}
int main() {
  int failures[3] = {0};
  pthread_t toggler, second;
  pthread_create(&toggler, NULL, toggle, &failures[0]);
  pthread_create(&second, NULL, spawn, &failures[1]);
  spawn(&failures[2]);
  pthread_join(second, NULL);
  while (!hits)
    inChild();
  done = 1;
  pthread_join(toggler, NULL);
  printf("60 children, %d failures, hits\n", failures[0] + failures[1] + failures[2]);
}
