// The same for durations.
//
// RUN: %clang -O2 -pthread -fplugin-arg-tp-entry=2,0 -fplugin-arg-tp-exit %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: bad 0
#include <tprt/duration.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
__attribute__((noinline)) void f(void) { __asm__ volatile(""); }
__attribute__((noinline)) void g(void) { __asm__ volatile(""); }
static volatile int in, go, gd; static int lock;
static void hf(const tprt_duration *e, void *d) { in = 1; while (!go) usleep(100); }
static void hg(const tprt_duration *e, void *d) { gd++; }
static void *run(void *a) { f(); return 0; }
static tprt_durations *p, *volatile q;
static void *det(void *n) {
  int st = tprt_durations_detach(p, -1);
  if (!st && !__atomic_exchange_n(&lock, 1, 5)) { tprt_selector s = {.function = "g"}; tprt_durations *x; if (tprt_durations_attach(&s, hg, 0, 0, &x, 0)) abort(); q = x; }
  return 0;
}
int main(void) {
  int bad = 0;
  for (int i = 0; i < 60; i++) {
    in = go = lock = 0; q = 0;
    tprt_selector s = {.function = "f"};
    if (tprt_durations_attach(&s, hf, 0, 0, &p, 0)) return 1;
    pthread_t t, d[6]; pthread_create(&t, 0, run, 0); while (!in) usleep(50);
    for (int n = 0; n < 6; n++) pthread_create(&d[n], 0, det, 0);
    usleep(3000); go = 1;
    for (int n = 0; n < 6; n++) pthread_join(d[n], 0);
    pthread_join(t, 0);
    g();
    int st = tprt_durations_detach(q, -1); if (st) { bad++; if (bad < 3) printf("%d %s\n", st, tprt_last_error()); }
  }
  printf("bad %d\n", bad);
}
