// If this fails, threads with separate descriptor tables (unshare) that attach in turn accumulate open descriptors.
// Each time, libtprt does not find its open file in the thread's table, and opens it again.
//
// REQUIRES: x86_64-host
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: the other thread's descriptors are as they were, 0 of its own files lost
// CHECK-NEXT: the main thread's descriptors are as they were
// CHECK-NEXT: 200 hits
#define _GNU_SOURCE
#include "tprt/tprt.h"
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum { kTurns = 100, kOwn = 64, kFirst = 200 };
static pthread_barrier_t turns;
static int hits;
static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) { ++hits; }
__attribute__((noinline)) void f(void) { __asm__ volatile(""); }

static int descriptors(void) {
  int open = 0;
  for (int i = 0; i < 1024; ++i)
    open += fcntl(i, F_GETFD) != -1;
  return open;
}

static void toggle(void) {
  tprt_selector selector = {.function = "f"};
  tprt_action action = {.handler = onHit};
  tprt_probe *probe;
  if (tprt_probe_attach(&selector, &action, &probe, NULL))
    puts(tprt_error_string());
  f();
  tprt_probe_detach(probe, -1);
}

static void compare(const char *whose, int before) {
  int now = descriptors();
  // The first use in a table leaves one descriptor open.
  if (now > before + 1)
    printf("%s descriptors: %d, then %d", whose, before, now);
  else
    printf("%s descriptors are as they were", whose);
}

static void *other(void *unused) {
  if (unshare(CLONE_FILES) != 0)
    perror("unshare");
  // In this thread, libtprt's descriptor numbers are the thread's own files.
  for (int i = 0; i < kOwn; ++i)
    dup2(open("/dev/null", O_RDONLY), kFirst + i);
  int before = descriptors(), lost = 0;
  for (int i = 0; i < kTurns; ++i) {
    pthread_barrier_wait(&turns);
    toggle();
    pthread_barrier_wait(&turns);
  }
  struct stat null, now;
  stat("/dev/null", &null);
  for (int i = 0; i < kOwn; ++i)
    lost += fstat(kFirst + i, &now) != 0 || now.st_rdev != null.st_rdev;
  compare("the other thread's", before);
  printf(", %d of its own files lost\n", lost);
  return NULL;
}

int main(void) {
  pthread_t thread;
  pthread_barrier_init(&turns, NULL, 2);
  toggle();
  pthread_create(&thread, NULL, other, NULL);
  hits = 0;
  int before = descriptors();
  for (int i = 0; i < kTurns; ++i) {
    toggle();
    pthread_barrier_wait(&turns);
    pthread_barrier_wait(&turns);
  }
  pthread_join(thread, NULL);
  compare("the main thread's", before);
  printf("\n%d hits\n", hits);
}
