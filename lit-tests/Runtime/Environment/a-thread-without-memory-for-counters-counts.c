// At a thread's first hit there is no address space for the thread's counters. The
// thread's hits must still be counted, even together with a handler. If this fails, the
// hits are lost, or a trampoline adds to address 0.
//
// RUN: %clang -O2 -pthread -fplugin-arg-tp-entry=2,0 -fplugin-arg-tp-exit %s %tprt_interposed_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: refused, counted 220 and 200, handler called 100 times
#define _GNU_SOURCE
#include "../Inputs/harness.h"
#include <errno.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

// Replaces the C library's function, also for libtprt.
static int refuses, refused, granted;
__attribute__((tp_never)) void *mmap(void *at, size_t bytes, int protection, int flags, int file, off_t offset) {
  if (refuses && granted++) // all calls fail except the one for the thread's block
    return ++refused, errno = ENOMEM, MAP_FAILED;
  return (void *)syscall(SYS_mmap, at, bytes, protection, flags, file, offset);
}

__attribute__((noinline)) void f(void) { __asm__ volatile(""); }
__attribute__((noinline)) void g(void) { __asm__ volatile(""); }
static long calls;
__attribute__((tp_never)) static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) { ++calls; }
__attribute__((tp_never)) static void *run(void *unused) {
  refuses = 1;
  for (int i = 0; i < 100; ++i)
    f(), g();
  refuses = 0;
  return unused;
}

__attribute__((tp_never)) int main(void) {
  tprt_action count = {.kind = TPRT_ACTION_COUNT};
  tprt_probe *ofF = attach("f", TPRT_KIND_SET_ALL, count), *ofG = attach("g", TPRT_KIND_SET_ALL, count);
  attachHandler("g", onHit, NULL);
  for (int i = 0; i < 10; ++i)
    f();
  pthread_t thread;
  pthread_create(&thread, NULL, run, NULL);
  pthread_join(thread, NULL);
  printf("%srefused, counted %llu and %llu, handler called %ld times\n", refused ? "" : "not ",
         (unsigned long long)tprt_probe_count(ofF), (unsigned long long)tprt_probe_count(ofG), calls);
}
