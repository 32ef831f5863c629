// A thread's first hits map little memory: one page for a handler, and for a counting probe only
// the memory that the existing sites need. If this fails, a program that locks its memory
// (mlockall), or whose address space is limited, pays megabytes per thread.
//
// RUN: %clang -O2 -pthread -fplugin-arg-tp-entry=2,0 %s %tprt_interposed_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: a handler: at most 4 pages; counting: at most 4 more; 1000 counted
#define _GNU_SOURCE
#include "../Inputs/harness.h"
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

// Replaces the C library's function, also for libtprt.
static __thread int adds;
static size_t mapped;
__attribute__((tp_never)) void *mmap(void *at, size_t bytes, int protection, int flags, int file, off_t offset) {
  if (adds)
    mapped += bytes;
  return (void *)syscall(SYS_mmap, at, bytes, protection, flags, file, offset);
}

__attribute__((noinline)) void f(void) { __asm__ volatile(""); }
__attribute__((noinline)) void g(void) { __asm__ volatile(""); }
static size_t calling, counting;
__attribute__((tp_never)) static void *run(void *unused) {
  adds = 1;
  f();
  calling = mapped;
  for (int i = 0; i < 1000; ++i)
    g();
  counting = mapped - calling;
  adds = 0;
  return unused;
}

__attribute__((tp_never)) int main(void) {
  attachHandler("f", ignoreHit, NULL);
  tprt_probe *counter = attachCounter("g");
  pthread_t thread;
  pthread_create(&thread, NULL, run, NULL);
  pthread_join(thread, NULL);
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  printf("a handler: %s 4 pages; counting: %s 4 more; %lu counted\n", calling <= 4 * page ? "at most" : "more than",
         counting <= 4 * page ? "at most" : "more than", (unsigned long)tprt_probe_count(counter));
}
