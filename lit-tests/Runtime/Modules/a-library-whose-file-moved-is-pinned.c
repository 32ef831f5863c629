// A library was opened by a relative path. Then the program changes its working folder, and
// replaces the library's file by another library's. The loader knows the library by the name given
// to dlopen, so attach can still pin the library: dlclose does not unload it before the probe is
// detached.
//
// RUN: rm -rf %t && mkdir %t && split-file %s %t/parts
// RUN: %clang -O2 -fPIC -shared -fplugin-arg-tp-entry=2,0 -DADD=1 %t/parts/lib.c -o %t/lib.so
// RUN: %clang -O2 -fPIC -shared -fplugin-arg-tp-entry=2,0 -DADD=2 %t/parts/lib.c -o %t/parts/lib.so
// RUN: %plain_clang -O2 %t/parts/main.c %tprt_flags -o %t/main
// RUN: cd %t && ./main | FileCheck %s
//
// CHECK: attached: it was done, 1 hits
// CHECK-NEXT: closed: still loaded, 2 hits
// CHECK-NEXT: detached: unloaded
//--- lib.c
int answer(int x) { return x + ADD; }
//--- main.c
#define _GNU_SOURCE
#include "tprt/tprt.h"
#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>

static int hits;
static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) { ++hits; }
static const char *state(void *address) {
  Dl_info info;
  return dladdr(address, &info) ? "still loaded" : "unloaded";
}

int main(void) {
  void *library = dlopen("./lib.so", RTLD_NOW);
  int (*answer)(int) = (int (*)(int))dlsym(library, "answer");
  if (rename("lib.so", "old.so") || chdir("parts")) // where another ./lib.so is
    return 1;
  tprt_selector selector = {.address = (void *)answer};
  tprt_action action = {.handler = onHit};
  tprt_probe *probe;
  tprt_status status = tprt_probe_attach(&selector, &action, &probe, NULL);
  int sum = answer(1);
  printf("attached: %s, %d hits\n", tprt_status_string(status), hits);
  dlclose(library);
  if (state((void *)answer)[0] == 's')
    sum += answer(1);
  printf("closed: %s, %d hits\n", state((void *)answer), hits);
  tprt_probe_detach(probe, -1);
  printf("detached: %s\n", state((void *)answer));
  return sum != 4;
}
