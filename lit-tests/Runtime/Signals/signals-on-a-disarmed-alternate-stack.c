// A signal interrupts a handler, and the signal's handler runs on an alternate stack at a
// higher address, which the kernel reports as disabled meanwhile (SS_AUTODISARM). If this
// fails, a hit there counts as a hit outside the handler: handlers nest, and detach
// forgets the interrupted handler.
//
// RUN: %clang -O2 -pthread -fplugin-arg-tp-entry=2,0 %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: {{^}}0 nested, 1 missed, while inside: detached, but a thread is still inside the handler
// CHECK-NEXT: afterwards: it was done
#define _GNU_SOURCE
#include "../Inputs/harness.h"
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
#ifndef SS_AUTODISARM
#define SS_AUTODISARM (1u << 31)
#endif

enum { kStack = 1 << 18 };
static volatile int inside, nested, interrupted, leave;
__attribute__((tp_never)) static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) {
  nested += inside;
  inside = 1;
  raise(SIGUSR1);
  for (interrupted = 1; !leave;)
    usleep(1000);
  inside = 0;
}
__attribute__((noinline)) void f(void) { __asm__ volatile(""); }
__attribute__((noinline)) void g(void) { __asm__ volatile(""); }
__attribute__((tp_never)) static void onSignal(int number) { g(); }
__attribute__((tp_never)) static void *run(void *memory) {
  stack_t stack = {.ss_sp = (char *)memory + kStack, .ss_size = kStack, .ss_flags = (int)SS_AUTODISARM};
  sigaltstack(&stack, NULL);
  f();
  return NULL;
}

__attribute__((tp_never)) int main(void) {
  struct sigaction action = {.sa_handler = onSignal, .sa_flags = SA_ONSTACK};
  sigaction(SIGUSR1, &action, NULL);
  tprt_probe *probe = attachHandler("[fg]", onHit, NULL);
  void *memory = aligned_alloc(4096, 2 * kStack);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstack(&attributes, memory, kStack);
  pthread_t thread;
  pthread_create(&thread, &attributes, run, memory);
  waitUntil(&interrupted);
  tprt_stats stats = readStats();
  const char *status = detach(probe, 300);
  printf("%d nested, %lu missed, while inside: %s\n", nested, (unsigned long)stats.missed, status);
  leave = 1;
  printf("afterwards: %s\n", detach(probe, 5000));
  return pthread_join(thread, NULL);
}
