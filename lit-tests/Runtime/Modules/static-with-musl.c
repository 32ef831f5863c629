// In a static program with musl, notes are found, threads are counted exactly, fork
// works, and the runtime needs nothing from glibc.
//
// REQUIRES: musl
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 -nostdlibinc -isystem /usr/include/x86_64-linux-musl -I %tprt_include \
// RUN:   -c %s -o %t.o
// RUN: musl-gcc -static %t.o %{libdir}/musl/libtprt.a -o %t
// RUN: %t | FileCheck %s
//
// Also with a second copy of the trampolines, as tp-clang links a program.
// RUN: musl-gcc -static %t.o %{libdir}/tprt_near.o %{libdir}/musl/libtprt.a -o %t.near
// RUN: %t.near | FileCheck %s
//
// CHECK: it was done, 4000 counted, 2 hits
// CHECK-NEXT: child: 1 counted
#include "tprt/tprt.h"
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) { ++*(int *)data; }
__attribute__((noinline)) void f(int i) { __asm__ volatile("" ::"r"(i)); }
__attribute__((noinline)) void g(int i) { __asm__ volatile("" ::"r"(i)); }

static void *work(void *unused) {
  for (int i = 0; i < 1000; ++i)
    f(i);
  return unused;
}

int main() {
  int hits = 0;
  tprt_selector counted = {.function = "f"}, called = {.function = "g"};
  tprt_action count = {.kind = TPRT_ACTION_COUNT}, call = {.handler = onHit, .data = &hits};
  tprt_probe *counter, *probe;
  tprt_status status = tprt_probe_attach(&counted, &count, &counter, NULL);
  if (tprt_probe_attach(&called, &call, &probe, NULL))
    return puts(tprt_error_string()), 1;
  pthread_t threads[4];
  for (int i = 0; i < 4; ++i)
    pthread_create(&threads[i], NULL, work, NULL);
  for (int i = 0; i < 4; ++i)
    pthread_join(threads[i], NULL);
  g(1), g(2);
  tprt_probe_detach(probe, -1);
  g(3);
  printf("%s, %d counted, %d hits\n", tprt_status_string(status), (int)tprt_probe_count(counter), hits);
  fflush(stdout);
  if (fork() == 0) {
    tprt_probe_attach(&called, &count, &probe, NULL);
    g(4);
    printf("child: %d counted\n", (int)tprt_probe_count(probe));
    return 0;
  }
  wait(NULL);
}
