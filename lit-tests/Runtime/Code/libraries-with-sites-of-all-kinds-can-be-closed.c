// A library may have functions with and without sleds. While a probe has sites of both kinds, the library stays
// loaded. After the probe is detached, dlclose unloads the library. The same holds for a probe of single
// instructions.
//
// RUN: %clang -O2 -fPIC -DSLEDS -fplugin-arg-tp-entry=2,0 -c %s -o %t.sleds.o
// RUN: gcc -O1 -fPIC -DPLAIN -c %s -o %t.plain.o
// RUN: gcc -shared %t.sleds.o %t.plain.o -o %t.so
// RUN: gcc -O1 %s %tprt_flags -o %t && %t %t.so | FileCheck %s
//
// CHECK: entries: attached; closed: still there; detached: gone
// CHECK-NEXT: instructions: attached; closed: still there; detached: gone
#if defined(SLEDS)
int kindsA(int value) { return value * 3 + 1; }
#elif defined(PLAIN)
int kindsB(int value) { return value * 5 + 1; }
#else
#include "../Inputs/harness.h"
#include <dlfcn.h>

static const char *whereabouts(const char *path) {
  void *library = dlopen(path, RTLD_NOW | RTLD_NOLOAD);
  if (library)
    dlclose(library);
  return library ? "still there" : "gone";
}

static void closeWith(const char *name, uint32_t kinds, const char *path) {
  void *library = dlopen(path, RTLD_NOW);
  tprt_selector selector = {.function = "kinds*", .module = path, .kinds = kinds, .flags = TPRT_SELECT_CODE | TPRT_SELECT_TRAPS};
  static int hits;
  tprt_action action = {.kind = TPRT_ACTION_CALL, .handler = countHit, .data = &hits};
  tprt_probe *probe = NULL;
  tprt_status status = tprt_probe_attach(&selector, &action, &probe, NULL);
  printf("%s: %s; ", name, status == TPRT_STATUS_OK || status == TPRT_STATUS_PARTIAL ? "attached" : tprt_error_string());
  dlclose(library);
  printf("closed: %s; ", whereabouts(path));
  tprt_probe_detach(probe, -1);
  printf("detached: %s\n", whereabouts(path));
}

int main(int count, char **arguments) {
  (void)count;
  closeWith("entries", TPRT_KIND_SET_ENTRY, arguments[1]);
  closeWith("instructions", TPRT_KIND_SET_INSTRUCTION, arguments[1]);
  return 0;
}
#endif
