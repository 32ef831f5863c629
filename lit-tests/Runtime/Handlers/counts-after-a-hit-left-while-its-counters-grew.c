// A signal handler leaves a hit by siglongjmp while that hit allocates its thread's counters. If
// this fails, the thread never gets its own counters, and all its hits take the slow path.
//
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 %s %tprt_interposed_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: left: 1
// CHECK-NEXT: counted of 10 calls: 10, made: 1
#include "../Inputs/harness.h"
#include <setjmp.h>
#include <sys/mman.h>
#include <sys/syscall.h>

static jmp_buf back;
static volatile int leaves, left, made;
// This replaces a signal at the system call.
__attribute__((tp_never)) void *mmap(void *address, size_t bytes, int protection, int flags, int file, off_t offset) {
  if (leaves) {
    leaves = 0;
    left = 1;
    longjmp(back, 1);
  }
  ++made;
  return (void *)syscall(SYS_mmap, address, bytes, protection, flags, file, offset);
}
__attribute__((noinline)) void f(void) { __asm__ volatile(""); }
__attribute__((noinline)) void g(void) { __asm__ volatile(""); }

__attribute__((tp_never)) int main(void) {
  attachHandler("g", ignoreHit, NULL);
  g(); // a thread's first hit maps its block
  tprt_probe *probe = attachCounter("f");
  leaves = 1;
  if (!setjmp(back))
    f();
  leaves = made = 0;
  for (int i = 0; i < 10; ++i)
    f();
  printf("left: %d\ncounted of 10 calls: %lu", left, (unsigned long)tprt_probe_count(probe));
  printf(", made: %d\n", made);
}
