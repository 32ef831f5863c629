// A signal handler leaves a hit by siglongjmp while that hit allocates its thread's table
// for `every`. If this fails, the table is never allocated, and all later hits are lost.
//
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 %s %tprt_interposed_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: left: 1
// CHECK-NEXT: handler calls for 10 hits: 5
#include "tprt/tprt.h"
#include <setjmp.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static jmp_buf back;
static volatile int leaves, left, calls;
// This replaces a signal at the system call.
void *mmap(void *address, size_t bytes, int protection, int flags, int file, off_t offset) {
  if (leaves) {
    leaves = 0;
    left = 1;
    longjmp(back, 1);
  }
  return (void *)syscall(SYS_mmap, address, bytes, protection, flags, file, offset);
}
__attribute__((tp_never)) static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) { ++calls; }
__attribute__((noinline)) void f(void) { __asm__ volatile(""); }
__attribute__((noinline)) void g(void) { __asm__ volatile(""); }

__attribute__((tp_never)) int main() {
  tprt_selector selector = {.function = "g"};
  tprt_action action = {.handler = onHit};
  tprt_probe *probe;
  if (tprt_probe_attach(&selector, &action, &probe, NULL))
    return puts(tprt_error_string());
  g(); // a thread's first hit maps its block
  selector.function = "f";
  action.every = 2;
  if (tprt_probe_attach(&selector, &action, &probe, NULL))
    return puts(tprt_error_string());
  leaves = 1;
  if (!setjmp(back))
    f();
  leaves = calls = 0;
  for (int i = 0; i < 10; ++i)
    f();
  printf("left: %d\nhandler calls for 10 hits: %d\n", left, calls);
}
