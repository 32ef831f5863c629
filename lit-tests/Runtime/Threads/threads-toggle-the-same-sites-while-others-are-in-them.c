// Three threads attach and detach handlers at the same sites, which three other threads
// execute all the time. If this fails, a list of handlers is freed while a hit still
// reads it.
//
// REQUIRES: x86_64-host
// RUN: %clang -O2 -pthread -fplugin-arg-tp-entry=2,0 -fplugin-arg-tp-exit %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: bad 0 oks {{[1-9]}}
#include <tprt/tprt.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#define F(n) __attribute__((noinline)) long w##n(long x) { __asm__ volatile("" : "+r"(x)); return x + n; }
F(0) F(1) F(2) F(3)
static long (*fs[4])(long) = {w0,w1,w2,w3};
static volatile int stop; static long bad, oks;
static void h(const tprt_event *e, const tprt_regs *r, void *p) { if (*(volatile long *)p != 0x1234) __atomic_fetch_add(&bad, 1, 5); }
static void *work(void *a) { volatile long s = 0; for (long i = 0; !stop; i++) s += fs[i & 3](i); return 0; }
static void *tog(void *a) {
  unsigned s = (long)a;
  const char *names[] = {"w0","w1","w[0-3]","w[12]"};
  while (!stop) {
    s = s * 1103515245 + 12345; unsigned r = s >> 8;
    long *d = malloc(64); *d = 0x1234;
    tprt_selector sel = {.function = names[r & 3], .flags = TPRT_SELECT_LOADED}; tprt_action ac = {.handler = h, .data = d}; tprt_probe *p;
    if (tprt_probe_attach(&sel, &ac, &p, 0)) abort();
    usleep(r >> 9 & 255);
    if (tprt_probe_detach(p, -1)) abort();
    *d = 0; free(d); __atomic_fetch_add(&oks, 1, 5);
  }
  return 0;
}
int main(int c, char **v) {
  pthread_t t[8]; int n = 0, togs = c > 1 ? atoi(v[1]) : 3;
  for (long i = 0; i < 3; i++) pthread_create(&t[n++], 0, work, 0);
  for (long i = 0; i < togs; i++) pthread_create(&t[n++], 0, tog, (void*)(i + 5));
  sleep(c > 2 ? atoi(v[2]) : 3); stop = 1;
  for (int i = 0; i < n; i++) pthread_join(t[i], 0);
  printf("bad %ld oks %ld\n", bad, oks);
  return bad != 0;
}
