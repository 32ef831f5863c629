// A probe of uninstrumented code also probes the functions of libraries that are opened later, and of a
// library that is closed and opened again.
//
// RUN: gcc -O1 -shared -fPIC -DLIBRARY %s -o %t.so
// RUN: gcc -O1 %s %tprt_flags -o %t && %t %t.so | FileCheck %s
//
// CHECK: 10 calls, 10 hits
// CHECK-NEXT: 10 calls, 20 hits
#ifdef LIBRARY
int later(int value) { return value * 3 + 1; }
#else
#include "../Inputs/harness.h"
#include <dlfcn.h>

int main(int count, char **arguments) {
  (void)count;
  static int hits;
  tprt_selector selector = {.function = "later", .module = "*/libraries-opened-later*", .kinds = TPRT_KIND_SET_ENTRY,
                            .flags = TPRT_SELECT_CODE | TPRT_SELECT_AWAIT | TPRT_SELECT_TRAPS};
  tprt_action action = {.kind = TPRT_ACTION_CALL, .handler = countHit, .data = &hits};
  tprt_probe *probe = NULL;
  tprt_probe_attach(&selector, &action, &probe, NULL);
  for (int round = 0; round < 2; ++round) {
    void *library = dlopen(arguments[1], RTLD_NOW);
    int (*later)(int) = (int (*)(int))dlsym(library, "later");
    tprt_module_refresh();
    for (int i = 0; i < 10; ++i)
      if (later(i) != i * 3 + 1)
        puts("a wrong result");
    printf("10 calls, %d hits\n", hits);
    dlclose(library);
  }
  return 0;
}
#endif
