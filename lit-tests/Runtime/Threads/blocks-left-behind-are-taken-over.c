// If a thread's last hit comes after the last round of key destructors, the thread does
// not free its block. If this fails, a program that keeps starting such threads runs out
// of memory.
//
// RUN: %clang -O2 -pthread -fplugin-arg-tp-entry=2,0 %s %tprt_interposed_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: at most a block in four threads
#define _GNU_SOURCE
#include "../Inputs/harness.h"
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

// Replaces the C library's function, also for libtprt.
static __thread int counts;
static int blocks;
__attribute__((tp_never)) void *mmap(void *at, size_t bytes, int protection, int flags, int file, off_t offset) {
  if (counts)
    ++blocks;
  return (void *)syscall(SYS_mmap, at, bytes, protection, flags, file, offset);
}

static pthread_key_t key;
__attribute__((noinline)) void f(void) { __asm__ volatile(""); }
__attribute__((tp_never)) static void hit(void) {
  counts = 1;
  f();
  counts = 0;
}
__attribute__((tp_never)) static void atEnd(void *value) {
  hit();
  pthread_setspecific(key, value);
}
__attribute__((tp_never)) static void *run(void *value) {
  hit();
  pthread_setspecific(key, &key);
  return NULL;
}

__attribute__((tp_never)) int main(void) {
  pthread_key_create(&key, atEnd);
  attachHandler("f", ignoreHit, NULL);
  enum { kThreads = 400 };
  for (int i = 0; i < kThreads; ++i) {
    pthread_t thread;
    pthread_create(&thread, NULL, run, NULL);
    pthread_join(thread, NULL);
  }
  if (blocks <= kThreads / 4)
    puts("at most a block in four threads");
  else
    printf("%d blocks in %d threads\n", blocks, kThreads);
}
