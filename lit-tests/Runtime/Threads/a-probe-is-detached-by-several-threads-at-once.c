// Eight threads detach one probe; the first to return attaches another. If this fails, another thread mistakes the new probe for the old one,
// and frees it.
//
// RUN: %clang -O2 -pthread -fplugin-arg-tp-entry=2,0 -fplugin-arg-tp-exit %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: bad 0 of 100
#include "../Inputs/harness.h"
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
__attribute__((noinline)) void f(void) { __asm__ volatile(""); }
__attribute__((noinline)) void g(void) { __asm__ volatile(""); }
static volatile int in, go;
static int threads[8];
static volatile int hits;
static void h(const tprt_event *e, const tprt_regs *r, void *d) { in = 1; while (!go) usleep(1000); }
static void hg(const tprt_event *e, const tprt_regs *r, void *d) { hits++; }
static void *run(void *a) { f(); return 0; }
static tprt_probe *p; static int results[8];
static tprt_probe *volatile q; static int qlock;
static void *det(void *n) {
  __atomic_store_n(&threads[(long)n], (int)syscall(SYS_gettid), __ATOMIC_SEQ_CST);
  int st = tprt_probe_detach(p, -1);
  if (st == 0 && !__atomic_exchange_n(&qlock, 1, 5))
    q = attachHandler("g", hg, NULL);
  results[(long)n] = st; return 0; }
int main(void) {
  int bad = 0, same = 0;
  for (int i = 0; i < 100; i++) {
    in = go = qlock = 0; q = 0;
    memset(threads, 0, sizeof threads);
    p = attachHandler("f", h, NULL);
    pthread_t t, d[8]; pthread_create(&t, 0, run, 0);
    waitUntil(&in);
    for (long n = 0; n < 8; n++) pthread_create(&d[n], 0, det, (void*)n);
    // If a thread detached after the first probe is gone, it would correctly detach the new probe.
    for (int n = 0; n < 8; n++) waitUntilAsleep(&threads[n]);
    usleep(20000);
    go = 1;
    for (long n = 0; n < 8; n++) pthread_join(d[n], 0);
    pthread_join(t, 0);
    same += q == p;
    int st = tprt_probe_detach(q, -1);
    if (st) { bad++; hits = 0; g(); if (bad < 3) printf("round %d: second probe's detach: %d %s; hits after %d\n", i, st, tprt_error_string(), hits); }
  }
  printf("bad %d of 100, same address %d\n", bad, same);
}
