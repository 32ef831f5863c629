// If this fails, a pending probe does not attach to the points of a later library,
// or a library cannot be unloaded, or its point is not found after the library is loaded
// again.
//
// RUN: %plain_clang -O2 -DLIBRARY -fPIC -shared -I %tprt_include -I %S/Inputs %s -o %t.so
// RUN: %plain_clang -O2 -I %S/Inputs %s %tprt_flags -o %t
// RUN: %t %t.so | FileCheck %s
//
// CHECK: before: no site matches
// CHECK: waiting: 0 hits, test 0
// CHECK: loaded: 1 hits, test 1
// CHECK: detached: 1 hits, test 0
// CHECK: gone: it was unloaded
// CHECK: again: 2 hits, test 1
#include "point.h"
#include "tprt/tprt.h"

#include <dlfcn.h>
#include <stdio.h>

#ifdef LIBRARY
void work(uint64_t x) { POINT(inside, "%lu %lu", x, x); }
int isOn(void) { return POINT_ON(inside); }
#else

__attribute__((noinline)) void own(uint64_t x) { POINT(own, "%lu %lu", x, x); }

static int hits;
static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) { ++hits; }
static tprt_selector selector = {.function = "inside", .kinds = TPRT_KIND_SET_POINT, .flags = TPRT_SELECT_AWAIT};
static tprt_action action = {.handler = onHit};

static void *load(const char *path, const char *when) {
  void *library = dlopen(path, RTLD_NOW);
  tprt_module_refresh();
  ((void (*)(uint64_t))dlsym(library, "work"))(1);
  printf("%s: %d hits, test %d\n", when, hits, ((int (*)(void))dlsym(library, "isOn"))());
  return library;
}

int main(int argc, char **argv) {
  tprt_probe *probe;
  printf("before: %s\n", tprt_status_string(tprt_probe_attach(&selector, &action, &probe, NULL)));
  own(1);
  printf("waiting: %d hits, test 0\n", hits);
  void *library = load(argv[1], "loaded");
  tprt_probe_detach(probe, -1);
  ((void (*)(uint64_t))dlsym(library, "work"))(1);
  printf("detached: %d hits, test %d\n", hits, ((int (*)(void))dlsym(library, "isOn"))());
  dlclose(library);
  printf("gone: %s\n", dlopen(argv[1], RTLD_NOW | RTLD_NOLOAD) ? "it is still there" : "it was unloaded");
  tprt_probe_attach(&selector, &action, &probe, NULL);
  load(argv[1], "again");
  return 0;
}
#endif
