// The program defines its own mmap, as allocators that count memory do, and this mmap is
// traced. The runtime calls mmap at a thread's first hit to get the thread's block. If
// this fails, that call is again a first hit, until the stack overflows.
//
// RUN: %clang -O2 -pthread -fplugin-arg-tp-entry=2,0 %s %tprt_interposed_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: 4 threads hit
// CHECK: 4 threads counted
#define _GNU_SOURCE
#include "../Inputs/harness.h"
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static volatile int used; // by the runtime
__attribute__((noinline)) void *mmap(void *at, size_t bytes, int protection, int flags, int file, off_t offset) {
  used = 1;
  return (void *)syscall(SYS_mmap, at, bytes, protection, flags, file, offset);
}

static __thread int hit;
static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) { hit = 1; }

static void *work(void *unused) {
  munmap(mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), 4096);
  return (void *)(long)hit;
}

// All at once, so that each needs a block of its own.
static long inThreads(void) {
  pthread_t threads[4];
  long sum = 0;
  for (int i = 0; i < 4; ++i)
    pthread_create(&threads[i], NULL, work, NULL);
  for (int i = 0; i < 4; ++i) {
    void *result;
    pthread_join(threads[i], &result);
    sum += (long)result;
  }
  return sum;
}

int main(void) {
  tprt_probe *probe = attachHandler("mmap", onHit, NULL);
  if (!used)
    return puts("attached by another mmap"), 1;
  printf("%ld threads hit\n", inThreads());
  tprt_probe_detach(probe, -1);
  probe = attachCounter("mmap");
  inThreads();
  printf("%s threads counted\n", tprt_probe_count(probe) >= 4 ? "4" : "too few");
}
