// Between the walk that finds a library and the call that pins it, another thread may close
// the library and load it again elsewhere. Data of the first module must never be used for
// the second. So attach walks the list again, and leaves out a library that is loaded and unloaded
// all the time. (The test interposes dlopen, to force that order of events.)
//
// RUN: rm -rf %t && split-file %s %t
// RUN: %clang -O2 -fPIC -shared -fplugin-arg-tp-entry=2,0 %t/lib.c -o %t/lib.so
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 -rdynamic %t/main.c %tprt_interposed_flags -o %t/main
// RUN: cd %t && ./main | FileCheck %s
//
// CHECK: the program's own function: it was done, 0 reloads
// CHECK-NEXT: reloaded 3 times: it was done, 1 hits
// CHECK-NEXT: reloaded each time: no site matches the selector, 0 hits: the modules with matching sites are being unloaded
// CHECK-NEXT: reloaded no more: it was done, 1 hits
//--- lib.c
int answer(int x) { return x + 1; }
//--- main.c
#define _GNU_SOURCE
#include "tprt/tprt.h"
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

static const char kPath[] = "./lib.so";
static void *(*real)(const char *, int);
static void *victim;
static int reloads, left, hits;

// The library gets another address: its old one is in use.
static void reload(void) {
  Dl_info old;
  dladdr(dlsym(victim, "answer"), &old);
  dlclose(victim);
  mmap(old.dli_fbase, 4096 * 5, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  victim = real(kPath, RTLD_NOW);
  ++reloads;
}

void *dlopen(const char *path, int flags) {
  if (left && path && flags & RTLD_NOLOAD && strcmp(path, kPath) == 0) {
    --left;
    reload();
  }
  return real(path, flags);
}

__attribute__((noinline)) int own(int x) { __asm__ volatile(""); return x; }
static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) { ++hits; }

static tprt_status attach(const char *function, int times) {
  tprt_selector selector = {.function = function, .flags = TPRT_SELECT_LOADED};
  tprt_action action = {.handler = onHit};
  tprt_probe *probe;
  left = times, reloads = hits = 0;
  tprt_status status = tprt_probe_attach(&selector, &action, &probe, NULL);
  left = 0;
  ((int (*)(int))dlsym(victim, "answer"))(1);
  if (probe)
    tprt_probe_detach(probe, -1);
  return status;
}

int main(void) {
  real = (void *(*)(const char *, int))dlsym(RTLD_NEXT, "dlopen");
  victim = real(kPath, RTLD_NOW);
  tprt_status status = attach("own", 100);
  printf("the program's own function: %s, %d reloads\n", tprt_status_string(status), reloads);
  status = attach("answer", 3);
  printf("reloaded %d times: %s, %d hits\n", reloads, tprt_status_string(status), hits);
  status = attach("answer", 1000);
  printf("reloaded each time: %s, %d hits: %s\n", tprt_status_string(status), hits, tprt_error_string());
  status = attach("answer", 0);
  printf("reloaded no more: %s, %d hits\n", tprt_status_string(status), hits);
}
