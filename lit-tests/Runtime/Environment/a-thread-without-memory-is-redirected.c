// A thread gets no memory at its first hits. If this fails, the thread's calls are not redirected,
// or its undelivered hits are not counted as missed.
//
// RUN: %clang -O2 -pthread -fplugin-arg-tp-entry=2,0 -fplugin-arg-tp-opaque %s %tprt_interposed_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: redirected to 1001 and 1002, 1 of 3 hits, 2 missed, 3 counted
#define _GNU_SOURCE
#include "../Inputs/harness.h"
#include <errno.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

// Replaces the C library's function, also for libtprt.
static int refuses;
__attribute__((tp_never)) void *mmap(void *at, size_t bytes, int protection, int flags, int file, off_t offset) {
  if (refuses)
    return errno = ENOMEM, MAP_FAILED;
  return (void *)syscall(SYS_mmap, at, bytes, protection, flags, file, offset);
}

__attribute__((noinline)) int f(int x) {
  __asm__ volatile("" : "+r"(x));
  return x;
}
__attribute__((noinline)) void g(void) { __asm__ volatile(""); }
static int hits, first, second;
__attribute__((tp_never)) static int instead(int x) { return 1000 + x; }
__attribute__((tp_never)) static void *run(void *unused) {
  refuses = 1;
  first = f(1), g(), g();
  refuses = 0;
  second = f(2), g();
  return unused;
}

__attribute__((tp_never)) int main(void) {
  attach("f", TPRT_KIND_SET_ENTRY, (tprt_action){.kind = TPRT_ACTION_REDIRECT, .replacement = instead});
  attachHandler("g", countHit, &hits);
  tprt_probe *counter = attachCounter("g");
  pthread_t thread;
  pthread_create(&thread, NULL, run, NULL);
  pthread_join(thread, NULL);
  tprt_stats stats = readStats();
  printf("redirected to %d and %d, %d of 3 hits, %lu missed, %lu counted\n", first, second, hits,
         (unsigned long)stats.missed, (unsigned long)tprt_probe_count(counter));
}
