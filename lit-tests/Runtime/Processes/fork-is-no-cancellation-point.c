// A thread with a pending cancellation forks while another thread walks the loader's
// list. If this fails, the thread is cancelled in fork, and each later walk hangs.
//
// RUN: %clang -O2 -pthread -fplugin-arg-tp-entry=2,0 -fplugin-arg-tp-exit %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: forked 1
// CHECK-NEXT: walker joined
// CHECK-NEXT: refresh 0
#define _GNU_SOURCE
#include <tprt/tprt.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
__attribute__((noinline)) void f(void) { __asm__ volatile(""); }
static volatile int inside, forked, ready;
static int cb(struct dl_phdr_info *i, size_t n, void *d) { inside = 1; usleep(60000); return 1; }
static void *holder(void *x) { dl_iterate_phdr(cb, 0); return 0; }
static void *walker(void *x) { tprt_module_refresh(); return 0; }
static void *forker(void *x) {
  ready = 1; while (ready != 2) __asm__ volatile("");
  pid_t p = fork();
  if (!p) _exit(0);
  forked = 1;
  waitpid(p, 0, WNOHANG);
  return 0;
}
static void *dummy(void *x) { for (;;) pause(); }
int main(void) {
  pthread_t q; pthread_create(&q, 0, dummy, 0); pthread_cancel(q); pthread_join(q, 0);
  alarm(5);
  pthread_t h, w, k; void *r;
  tprt_module_refresh();
  pthread_create(&h, 0, holder, 0); while (!inside) usleep(100);
  pthread_create(&w, 0, walker, 0); usleep(20000);
  pthread_create(&k, 0, forker, 0);
  while (!ready) usleep(100);
  pthread_cancel(k); ready = 2;
  pthread_join(k, &r); printf("forked %d cancelled %d\n", forked, r == PTHREAD_CANCELED); fflush(stdout);
  pthread_join(h, 0);
  pthread_join(w, 0);
  puts("walker joined"); fflush(stdout);
  printf("refresh %d\n", tprt_module_refresh());
}
