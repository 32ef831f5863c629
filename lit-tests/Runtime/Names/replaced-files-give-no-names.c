// A library's file was replaced while the library is loaded. Names are not read from the new
// file, and a line reports that. The program's own file is found even if it was removed.
//
// RUN: rm -rf %t && split-file %s %t
// RUN: %clang -O2 -fPIC -shared -fplugin-arg-tp-entry=2,0 %t/lib.c -Wl,--build-id -o %t/lib.so
// RUN: %clang -O2 -fPIC -shared -fplugin-arg-tp-entry=2,0 %t/lib.c -Wl,--build-id -DNEW -o %t/new.so
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 %t/main.c %tprt_flags -o %t/main
// RUN: cd %t && env TPRT_OPTIONS=verbose=1 ./main 2>&1 | FileCheck %s
//
// CHECK: lib.so: no names for its functions: its file is not the one that was loaded (replaced since?); select by
// CHECK: own: it was done, the library's: no site matches the selector
//--- lib.c
#ifdef NEW
int newer(int x) { return x; }
#endif
int of_library(int x) { return x + 1; }
//--- main.c
#include "tprt/tprt.h"
#include <dlfcn.h>
#include <stdio.h>
__attribute__((noinline)) int own(int x) { return x + 1; }
static int ignore(const tprt_site *site, void *data) { return 0; }

int main(int argc, char **argv) {
  dlopen("./lib.so", RTLD_NOW);
  rename("new.so", "lib.so");
  remove("main");
  tprt_selector of_program = {.function = "own"}, of_library = {.function = "of_library"};
  const char *program = tprt_status_string(tprt_site_visit(&of_program, ignore, NULL));
  printf("own: %s, the library's: %s\n", program, tprt_status_string(tprt_site_visit(&of_library, ignore, NULL)));
  return own(1) != 2;
}
