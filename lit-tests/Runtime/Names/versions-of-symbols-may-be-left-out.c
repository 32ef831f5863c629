// A library has two versions of a function. Its full symbol table calls them found@V1 and found@@V2, and a stripped
// file calls both found. The name without a version must find both in either file.
//
// RUN: split-file %s %t.d
// RUN: %clang -O1 -shared -fPIC -fplugin-arg-tp-entry=2,0 %t.d/lib.c -Wl,--version-script=%t.d/versions -o %t.d/lib-versions.so
// RUN: %clang -O1 -I %S %t.d/program.c %t.d/lib-versions.so %tprt_flags -Wl,-rpath,%t.d -o %t
// RUN: %run %t | FileCheck %s --check-prefix=FULL
// RUN: llvm-strip-22 %t.d/lib-versions.so
// RUN: %run %t | FileCheck %s --check-prefix=STRIPPED
//
// FULL: found: found@V1 found@@V2
// STRIPPED: found: found found
// FULL-NEXT: found@@V2: found@@V2
// STRIPPED-NEXT: found@@V2:
// STRIPPED-NEXT: mostly without @VERSION

//--- versions
V1 { global: found; other; local: *; };
V2 { global: found; } V1;

//--- lib.c
int found_old(int x) { return x + 1; }
int found_new(int x) { return x + 2; }
__asm__(".symver found_old,found@V1,remove\n.symver found_new,found@@V2,remove");
int other(int x) { return x + 3; }

//--- program.c
#include "../Inputs/harness.h"

int other(int);

static int show(const tprt_site *site, void *data) {
  (void)data;
  printf(" %s", describe(site).name);
  return 0;
}

static void look(const char *name) {
  printf("%s:", name);
  tprt_selector selector = {.function = name, .module = "lib-versions.so"};
  tprt_status status = tprt_site_visit(&selector, show, NULL);
  printf(status ? "\n%s\n" : "\n", tprt_error_string());
}

int main(void) {
  look("found");
  look("found@@V2");
  return other(-3);
}
