// When a library's names are needed, its file is missing or is another build, so the
// names cannot be read. When the library is closed and loaded once more, from its own
// file, an attach must find its functions by name.
//
// RUN: rm -rf %t && split-file %s %t
// RUN: %clang -O2 -fPIC -shared -fplugin-arg-tp-entry=2,0 -DVERSION=1 %t/lib.c -o %t/lib1.so
// RUN: %clang -O2 -fPIC -shared -fplugin-arg-tp-entry=2,0 -DVERSION=2 %t/lib.c -o %t/lib2.so
// RUN: %clang -O2 %t/main.c %tprt_flags -o %t/main
// RUN: cd %t && ./main gone | FileCheck %s && ./main lib2.so | FileCheck %s
// RUN: cd %t && ./main gone refresh | FileCheck %s
//
// CHECK: without its file: no match, 0 hits
// CHECK-NEXT: with its file: attached, 1 hit
// CHECK-NEXT: same place: {{1|0, under an emulator}}
//--- lib.c
int version(void) { return VERSION; }
//--- main.c
#include "tprt/tprt.h"
#ifdef __x86_64__
#define EMULATED 0
#else
#define EMULATED 1
#endif
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int hits;
static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) { ++hits; }

static void put(const char *file) {
  unlink("lib.so");
  if (strcmp(file, "gone") != 0 && link(file, "lib.so") != 0)
    perror(file);
}

// Loads the library, then makes its path refer to `file`, attaches and calls.
static void *use(const char *file, const char *title) {
  put("lib1.so");
  void *library = dlopen("./lib.so", RTLD_NOW);
  int (*version)(void) = (int (*)(void))dlsym(library, "version");
  put(file);
  tprt_selector selector = {.function = "version"};
  tprt_action action = {.handler = onHit};
  tprt_probe *probe;
  hits = 0;
  tprt_status status = tprt_probe_attach(&selector, &action, &probe, NULL);
  version();
  printf("%s: %s, %d hit%s\n", title,
         status == TPRT_STATUS_OK         ? "attached"
         : status == TPRT_STATUS_NO_MATCH ? "no match"
                                          : tprt_error_string(),
         hits, hits == 1 ? "" : "s");
  if (status == TPRT_STATUS_OK)
    tprt_probe_detach(probe, -1);
  dlclose(library);
  return (void *)version;
}

int main(int argc, char **argv) {
  void *first = use(argv[1], "without its file");
  if (argc > 2) // libtprt notices the unload
    tprt_module_refresh();
  void *second = use("lib1.so", "with its file");
  // An emulator may load the library at another address. Then the library is another one for libtprt anyway.
  printf("same place: %d%s\n", first == second, first != second && EMULATED ? ", under an emulator" : "");
}
