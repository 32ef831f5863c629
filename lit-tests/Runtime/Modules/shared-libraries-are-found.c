// Sites of a library opened at run time are found at the next attach. A probed
// library stays loaded after dlclose, and is unloaded after detach.
//
// RUN: split-file %s %t
// RUN: %clang -O2 -fPIC -shared -fplugin-arg-tp-entry=2,0 %t/lib.c -o %t/lib.so
// RUN: %plain_clang %t/main.c %tprt_flags -o %t/main
// RUN: %t/main %t/lib.so | FileCheck %s
//
// CHECK: before: no loaded module has a sled table
// CHECK-NEXT: opened: it was done
// CHECK-NEXT: 7 after dlclose, count 1
// CHECK-NEXT: loaded after detach: 0
//--- lib.c
int answer(int x) { return x + 1; }
//--- main.c
#include "tprt/tprt.h"
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv) {
  tprt_selector selector = {.function = "answer", .module = "lib.so"};
  tprt_action action = {.kind = TPRT_ACTION_COUNT};
  tprt_probe *probe;
  printf("before: %s\n", tprt_status_string(tprt_probe_attach(&selector, &action, &probe, NULL)));
  void *library = dlopen(argv[1], RTLD_NOW);
  int (*answer)(int) = (int (*)(int))dlsym(library, "answer");
  printf("opened: %s\n", tprt_status_string(tprt_probe_attach(&selector, &action, &probe, NULL)));
  dlclose(library);
  int value = answer(6);
  printf("%d after dlclose, count %lu\n", value, (unsigned long)tprt_probe_count(probe));
  tprt_probe_detach(probe, -1);
  printf("loaded after detach: %d\n", dlopen(argv[1], RTLD_NOW | RTLD_NOLOAD) != NULL);
}
