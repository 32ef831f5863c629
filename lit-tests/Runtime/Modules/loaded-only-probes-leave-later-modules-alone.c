// TPRT_SELECT_LOADED and selection by address select no site of later modules.
// A counting probe by pattern selects such sites, and its count is exact.
//
// RUN: rm -rf %t && split-file %s %t
// RUN: %clang -O2 -fPIC -shared -fplugin-arg-tp-entry=2,0 %t/lib.c -o %t/lib.so
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 %t/main.c %tprt_flags -o %t/main
// RUN: %t/main %t/lib.so | FileCheck %s
//
// CHECK: loaded only 1, by address 1, counted 4
//--- lib.c
int f_later(int x) { return x + 1; }
//--- main.c
#include "tprt/tprt.h"
#include <dlfcn.h>
#include <stdio.h>

static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) { ++*(int *)data; }
__attribute__((noinline)) void f_now(void) { __asm__ volatile(""); }

int main(int argc, char **argv) {
  int loaded = 0, address = 0;
  tprt_selector selectors[3] = {{.function = "f_*", .flags = TPRT_SELECT_LOADED}, {.address = f_now}, {.function = "f_*"}};
  tprt_action actions[3] = {{.handler = onHit, .data = &loaded}, {.handler = onHit, .data = &address}, {TPRT_ACTION_COUNT}};
  tprt_probe *probes[3];
  for (int i = 0; i < 3; ++i)
    tprt_probe_attach(&selectors[i], &actions[i], &probes[i], NULL);
  int (*later)(int) = (int (*)(int))dlsym(dlopen(argv[1], RTLD_NOW), "f_later");
  f_now(), later(1), later(2), later(3);
  printf("loaded only %d, by address %d, counted %lu\n", loaded, address, (unsigned long)tprt_probe_count(probes[2]));
}
