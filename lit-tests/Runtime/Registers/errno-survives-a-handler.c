// A handler that calls libc may set errno. The traced program must not see that value. The same
// holds at a thread's first hit, and if a hit is missed because its thread is in a handler.
//
// RUN: %clang -O2 -pthread -fplugin-arg-tp-entry=2,0 %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: inside 8, after 7
// CHECK-NEXT: once more: inside 8, after 7
// CHECK-NEXT: in a thread: inside 8, after 7
#include "../Inputs/harness.h"
#include <errno.h>
#include <pthread.h>
#include <unistd.h>

static int inside;
__attribute__((noinline)) void f(void) { __asm__ volatile(""); }
static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) {
  errno = 8;
  f();
  inside = errno;
  close(-1);
}
static void *callF(void *text) {
  errno = 7;
  f();
  int after = errno;
  printf("%sinside %d, after %d\n", (const char *)text, inside, after);
  return NULL;
}

int main() {
  attachHandler("f", onHit, NULL);
  callF("");
  inside = 0;
  callF("once more: ");
  inside = 0;
  pthread_t thread;
  pthread_create(&thread, NULL, callF, "in a thread: ");
  pthread_join(thread, NULL);
}
