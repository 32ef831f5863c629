// A pending probe attaches to the sites of a later module, except one that is refused.
// The probe must keep its earlier sites, each with its own count, and turn them off at
// its detach.
//
// REQUIRES: x86_64-host
// RUN: rm -rf %t && split-file %s %t
// RUN: %clang -O2 -fPIC -shared -fplugin-arg-tp-entry=2,0 %t/lib.c -o %t/liblater.so
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 -I %S/../Inputs %t/main.c %tprt_flags -Wl,-rpath,%t -o %t/main
// RUN: %t/main | FileCheck %s
//
// CHECK: f_own 4
// CHECK-NEXT: f_later 2
// CHECK-NEXT: enabled 0
//--- lib.c
__attribute__((tp_entry(1))) void f_small(void) { __asm__ volatile(""); }
void f_later(void) { __asm__ volatile(""); }
//--- main.c
#include "harness.h"
#include <dlfcn.h>

__attribute__((noinline)) void f_own(void) { __asm__ volatile(""); }

static int print(const tprt_site *site, uint64_t count, void *data) {
  (void)data;
  tprt_site_info info = describe(site);
  return printf("%s %llu\n", info.name, (unsigned long long)count) < 0;
}

int main() {
  tprt_probe *probe = attachCounter("f_*");
  for (int i = 0; i < 3; ++i)
    f_own();
  void *library = dlopen("liblater.so", RTLD_NOW);
  for (int i = 0; i < 2; ++i) {
    ((void (*)(void))dlsym(library, "f_small"))();
    ((void (*)(void))dlsym(library, "f_later"))();
  }
  f_own();
  tprt_probe_visit_counts(probe, print, NULL);
  tprt_probe_detach(probe, -1);
  tprt_stats stats = readStats();
  printf("enabled %zu\n", stats.enabled);
}
