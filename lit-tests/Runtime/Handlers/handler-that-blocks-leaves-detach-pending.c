// A handler that does not return delays a detach only up to the time limit, and gets no
// more hits during that time. Once the handler has returned, a second detach finishes.
//
// RUN: %clang -O2 -pthread -fplugin-arg-tp-entry=2,0 %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: first: [[PENDING:.*handler.*]]
// CHECK-NEXT: second: [[PENDING]]
// CHECK-NEXT: hits 1
// CHECK-NEXT: third: it was done
#include "../Inputs/harness.h"
#include <pthread.h>

static int hits, released;
static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) {
  __atomic_fetch_add(&hits, 1, __ATOMIC_SEQ_CST);
  waitUntil(&released);
}
__attribute__((noinline)) void f(void) { __asm__ volatile(""); }
static void *callF(void *data) { return f(), data; }

int main() {
  tprt_probe *probe = attachHandler("f", onHit, NULL);
  pthread_t thread;
  pthread_create(&thread, NULL, callF, NULL);
  waitUntil(&hits);
  tprt_status status = tprt_probe_detach(probe, 20);
  printf("first: %s\n", status == TPRT_STATUS_PENDING ? tprt_status_string(status) : tprt_error_string());
  f();
  printf("second: %s\n", detach(probe, 0));
  printf("hits %d\n", hits);
  __atomic_store_n(&released, 1, __ATOMIC_SEQ_CST);
  printf("third: %s\n", detach(probe, -1));
  pthread_join(thread, NULL);
}
