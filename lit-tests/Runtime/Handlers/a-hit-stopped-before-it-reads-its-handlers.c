// A hit is stopped at each of its instructions. Other threads attach at its site meanwhile,
// and detach once the hit's first handler runs. If this fails, the handler of a probe on another
// function is called.
//
// REQUIRES: x86_64-host
// RUN: %clang -O2 -pthread -fplugin-arg-tp-entry=2,0 -fplugin-arg-tp-exit %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: wrong 0
#define _GNU_SOURCE
#include "../Inputs/harness.h"
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <sched.h>
__attribute__((noinline)) void f(void) { __asm__ volatile(""); }
__attribute__((noinline)) void g(void) { __asm__ volatile(""); }
__attribute__((noinline)) void x(void) { __asm__ volatile(""); }
static volatile int order, done, target, step, aCalls, bCalls, wrong;
static tprt_probe *a, *b, *d, *e, *spare, *spare2;
static void ask(int what) { order = what; while (done != what) sched_yield(); }
static void ha(const tprt_event *v, const tprt_regs *r, void *p) { aCalls++; if (order == 1) ask(2); }
static void hb(const tprt_event *v, const tprt_regs *r, void *p) { bCalls++; }
static void he(const tprt_event *v, const tprt_regs *r, void *p) { wrong++; }
static void *help(void *q) {
  for (;;) {
    while (order == done) sched_yield();
    int what = order;
    if (what == 1) {
      tprt_probe_detach(attachHandler("x", ignoreHit, NULL), -1);
      b = attachHandler("f", hb, NULL);
      spare = attachHandler("x", ignoreHit, NULL);
    }
    if (what == 2) {
      if (tprt_probe_detach(b, -1)) abort();
      tprt_probe_detach(spare, -1);
      d = attachHandler("g", he, NULL);
      e = attachHandler("g", he, NULL);
    }
    if (what == 3) return 0;
    done = what;
  }
}
static void trap(int s, siginfo_t *i, void *c) {
  ucontext_t *u = c;
  if (++step == target) { u->uc_mcontext.gregs[REG_EFL] &= ~0x100L; ask(1); }
}
int main(void) {
  int sum = 0;
  struct sigaction sa = {.sa_sigaction = trap, .sa_flags = SA_SIGINFO}; sigaction(SIGTRAP, &sa, 0);
  a = attachHandler("f", ha, NULL);
  pthread_t t; pthread_create(&t, 0, help, 0);
  f();
  for (target = 1; target < 60; target++) {
    order = done = step = wrong = aCalls = bCalls = 0; b = d = e = 0;
    __asm__ volatile("pushfq; orq $0x100,(%%rsp); popfq" ::: "memory", "cc");
    f();
    __asm__ volatile("pushfq; andq $~0x100,(%%rsp); popfq" ::: "memory", "cc");
    sum += wrong;
    if (order == 1) tprt_probe_detach(b, -1), tprt_probe_detach(spare, -1);
    if (d) tprt_probe_detach(d, -1), tprt_probe_detach(e, -1);
  }
  printf("wrong %d\n", sum); order = 3; pthread_join(t, 0);
}
