// A library's constructor starts a thread that attaches to a function of the program, and
// waits for the thread's end. The constructor holds the loader's lock of dlopen. The attach must
// not wait for that lock: a walk needs only the lock of the loader's list, and no library is
// pinned.
//
// RUN: rm -rf %t && split-file %s %t
// RUN: %clang -O2 -fPIC -shared -fplugin-arg-tp-entry=2,0 %t/lib.c -o %t/lib.so
// RUN: %clang -O2 -pthread -fplugin-arg-tp-entry=2,0 -rdynamic %t/main.c %tprt_flags -o %t/main
// RUN: cd %t && ./main | FileCheck %s
//
// CHECK: in the constructor: it was done
// CHECK-NEXT: in the destructor: it was done
//--- lib.c
void inThread(const char *where);
int answer(int x) { return x + 1; }
__attribute__((constructor)) static void start(void) { inThread("constructor"); }
__attribute__((destructor)) static void stop(void) { inThread("destructor"); }
//--- main.c
#include "tprt/tprt.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) {}
__attribute__((noinline)) int own(int x) { __asm__ volatile(""); return x; }

static void *attach(void *status) {
  tprt_selector selector = {.function = "own"};
  tprt_action action = {.handler = onHit};
  tprt_probe *probe;
  *(tprt_status *)status = tprt_probe_attach(&selector, &action, &probe, NULL);
  if (probe)
    tprt_probe_detach(probe, -1);
  return NULL;
}
void inThread(const char *where) {
  pthread_t thread;
  tprt_status status;
  pthread_create(&thread, NULL, attach, &status);
  pthread_join(thread, NULL);
  printf("in the %s: %s\n", where, tprt_status_string(status));
}

int main(void) {
  alarm(60); // what hangs is a failure
  dlclose(dlopen("./lib.so", RTLD_NOW));
}
