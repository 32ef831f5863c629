// A thread that attaches and detaches all the time is cancelled, again and again:
// each call completes before the thread ends. A lock left held would block every later
// call, and fork. Files left open would accumulate, and a probe left on would stay.
//
// RUN: %clang -O2 -pthread -fplugin-arg-tp-entry=2,0 %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: cancelled 300 times, 0 files more, the child attached
// CHECK-NEXT: visit was cancelled in its callback, attach works
#include "../Inputs/harness.h"
#include <dirent.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

__attribute__((noinline)) void work_one(void) { __asm__ volatile(""); }
// The two functions are on separate pages, so each batch makes more system calls.
__attribute__((noinline)) void work_gap(void) { __asm__ volatile(".skip 20000, 0x90"); }
__attribute__((noinline)) void work_two(void) { __asm__ volatile(""); }

static tprt_selector selector = {.function = "work_*", .kinds = TPRT_KIND_SET_ALL};
static tprt_action action = {.handler = ignoreHit};

static int toggle(void) {
  tprt_probe *probe;
  return tprt_probe_attach(&selector, &action, &probe, NULL) || tprt_probe_detach(probe, -1);
}
static void *toggleForEver(void *unused) {
  for (;;)
    toggle();
}

static int cancelHere(const tprt_site *site, void *data) {
  pthread_testcancel();
  return 0;
}
static void *visit(void *unused) {
  pthread_cancel(pthread_self());
  tprt_site_visit(NULL, cancelHere, NULL);
  return NULL;
}

static int openFiles(void) {
  int count = 0;
  DIR *folder = opendir("/proc/self/fd");
  while (readdir(folder))
    ++count;
  closedir(folder);
  return count;
}

int main(void) {
  alarm(60); // what hangs is a failure
  toggle();
  int files = openFiles(), i = 0;
  for (; i < 300; ++i) {
    pthread_t thread;
    pthread_create(&thread, NULL, toggleForEver, NULL);
    usleep((useconds_t)(200 + rand() % 2000));
    pthread_cancel(thread);
    pthread_join(thread, NULL);
    tprt_stats stats = readStats();
    if (stats.enabled)
      return printf("round %d: %zu sites are on\n", i, stats.enabled), 1;
  }
  int status;
  if (!fork())
    _exit(toggle());
  wait(&status);
  printf("cancelled %d times, %d files more, the child %s\n", i, openFiles() - files,
         status ? "failed" : "attached");
  pthread_t thread;
  void *end = NULL;
  pthread_create(&thread, NULL, visit, NULL);
  pthread_join(thread, &end);
  printf("visit %s, attach %s\n", end == PTHREAD_CANCELED ? "was cancelled in its callback" : "went on",
         toggle() ? "fails" : "works");
}
