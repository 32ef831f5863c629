// A named pipe without a reader has replaced a library's file, or the file for the
// table of calls. If this fails, the program waits for the pipe's other end.
//
// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: %clang -O2 -fPIC -shared -fplugin-arg-tp-entry=2,0 lib.c -o lib.so
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 main.c %tprt_flags -ldl -o main
// RUN: mkfifo pipe table
// RUN: env TPRT_OPTIONS="verbose=1" ./main library 2>&1 | FileCheck --check-prefix=LIBRARY %s
// RUN: env TPRT_OPTIONS="count=main output=table" ./main 2>&1 | FileCheck --check-prefix=TABLE %s
//
// LIBRARY: lib.so: no names for its functions: its file can't be read
// LIBRARY: the library's: no site matches the selector
// TABLE: can't write {{.*}}table: No such device or address; the table follows here
// TABLE: 1 main
//--- lib.c
int of_library(int x) { return x + 1; }
//--- main.c
#include <dlfcn.h>
#include <stdio.h>
#include <tprt/tprt.h>
#include <unistd.h>
static int see(const tprt_site *site, void *data) { return 0; }
int main(int count, char **arguments) {
  alarm(20);
  if (count < 2)
    return 0;
  dlopen("./lib.so", RTLD_NOW);
  rename("pipe", "lib.so");
  tprt_selector selector = {.function = "of_library"};
  tprt_status status = tprt_site_visit(&selector, see, NULL);
  fprintf(stderr, "the library's: %s\n", tprt_status_string(status));
}
