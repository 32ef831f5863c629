// A shared and a static copy of libtprt are in one process. The copy that is used first is in
// charge. The other copy refuses, names the first copy's module, and flips nothing. A library whose
// static copy is in charge stays loaded.
//
// RUN: rm -rf %t && split-file %s %t
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 -fPIC -shared -I %tprt_include -DTRY=try_static %t/try.c \
// RUN:   %{libdir}/libtprt.a -Wl,--exclude-libs,ALL -o %t/libstatic.so
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 -fPIC -shared -DTRY=try_shared %t/try.c %tprt_flags -o %t/libshared.so
// RUN: %plain_clang %t/main.c -o %t/main
// RUN: %t/main %t/libshared.so try_shared %t/libstatic.so try_static | FileCheck --check-prefixes=CHECK,SHARED %s
// RUN: %t/main %t/libstatic.so try_static %t/libshared.so try_shared | FileCheck --check-prefixes=CHECK,STATIC %s
//
// CHECK: first: it was done, 1 hit
// CHECK-NEXT: second: another copy of libtprt is in charge of this process, 0 hit
// SHARED-NEXT: another copy of libtprt, in {{.*}}libtprt.so{{[.0-9]*}}, is in charge of this process: link only one
// STATIC-NEXT: another copy of libtprt, in {{.*}}libstatic.so, is in charge of this process: link only one
// CHECK: after dlclose: it was done, 1 hit
//--- try.c
#include "tprt/tprt.h"
#include <stdio.h>
static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) { ++*(int *)data; }
__attribute__((noinline)) static void f(void) { __asm__ volatile(""); }
void TRY(const char *when) {
  int hits = 0;
  tprt_selector selector = {.function = "f"};
  tprt_action action = {.handler = onHit, .data = &hits};
  tprt_probe *probe;
  tprt_status status = tprt_probe_attach(&selector, &action, &probe, NULL);
  f();
  printf("%s: %s, %d hit\n", when, tprt_status_string(status), hits);
  if (probe)
    tprt_probe_detach(probe, -1);
  else
    puts(tprt_error_string());
}
//--- main.c
#include <dlfcn.h>
int main(int argc, char **argv) {
  void *first = dlopen(argv[1], RTLD_NOW), *second = dlopen(argv[3], RTLD_NOW);
  void (*try_first)(const char *) = dlsym(first, argv[2]), (*try_second)(const char *) = dlsym(second, argv[4]);
  try_first("first");
  try_second("second");
  dlclose(first);
  first = dlopen(argv[1], RTLD_NOW);
  ((void (*)(const char *))dlsym(first, argv[2]))("after dlclose");
}
