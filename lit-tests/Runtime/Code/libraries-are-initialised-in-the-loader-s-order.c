// While a library's _init runs, libtprt examines the libraries that were loaded with it. libtprt must not make the
// loader initialise libraries that depend on that library. Their constructors would call the library before its own
// constructor has run.
//
// RUN: gcc -O1 -fPIC -shared -DBASE %s -o %t.base.so
// RUN: gcc -O1 -fPIC -shared -DMIDDLE %s %t.base.so -o %t.middle.so
// RUN: gcc -O1 -fPIC -shared -DTOP %s %t.middle.so %t.base.so -o %t.top.so
// RUN: gcc -O1 %s %tprt_flags -ldl -o %t
// RUN: %t %t.top.so | FileCheck %s
//
// CHECK: base calls: 2 seen, middle calls: 1 seen, top calls: 1 seen, result 42
#if defined BASE
static int add(int v) { return v + 1; }
static int (*volatile table)(int);
__attribute__((constructor)) static void begin(void) { table = add; }
__attribute__((noinline)) int base_call(int v) { return table(v); }
#elif defined MIDDLE
int base_call(int);
static int atStart;
__attribute__((constructor)) static void begin(void) { atStart = base_call(0); }
__attribute__((noinline)) int middle_call(int v) { return base_call(v) + atStart; }
#elif defined TOP
int middle_call(int);
__attribute__((noinline)) int top_call(int v) { return middle_call(v) + 1; }
#else
#include "../Inputs/harness.h"
#include <dlfcn.h>

static tprt_probe *count(const char *name) {
  tprt_selector selector = {.function = name, .kinds = TPRT_KIND_SET_ENTRY, .module = "*/libraries-are-initialised*", .flags = TPRT_SELECT_CODE | TPRT_SELECT_AWAIT};
  tprt_action action = {.kind = TPRT_ACTION_COUNT};
  tprt_probe *probe = NULL;
  tprt_probe_attach(&selector, &action, &probe, NULL);
  return probe;
}

int main(int argc, char **argv) {
  const char *names[] = {"base_call", "middle_call", "top_call"};
  tprt_probe *probes[3];
  for (int i = 0; i < 3; ++i)
    probes[i] = count(names[i]);
  void *top = dlopen(argv[argc - 1], RTLD_NOW);
  if (!top)
    return puts(dlerror());
  int result = ((int (*)(int))dlsym(top, "top_call"))(39);
  for (int i = 0; i < 3; ++i)
    printf("%s: %d seen, ", i == 0 ? "base calls" : i == 1 ? "middle calls" : "top calls", (int)tprt_probe_count(probes[i]));
  printf("result %d\n", result);
  for (int i = 0; i < 3; ++i)
    tprt_probe_detach(probes[i], -1);
  dlclose(top);
  return 0;
}
#endif
