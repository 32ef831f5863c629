// Two libraries each have a site that is refused, for reasons that are found at different
// stages of the attach. The message must name the site of the first library.
//
// RUN: rm -rf %t && split-file %s %t
// RUN: %clang -O1 -fPIC -shared -fplugin-arg-tp-entry=2,0 -fplugin-arg-tp-opaque -DVALUE=1 %t/lib.c -o %t/lib1.so
// RUN: %clang -O1 -fPIC -shared -fplugin-arg-tp-entry=2,0 -DVALUE=2 %t/lib.c -o %t/lib2.so
// RUN: %clang -O1 %t/main.c %tprt_flags -o %t/main
// RUN: %t/main %t/lib1.so %t/lib2.so | FileCheck %s
//
// CHECK: 2 of 2 sites refused, the first function {{.*}}lib1.so): the bytes there
//--- lib.c
int function(void) { return VALUE; }
//--- main.c
#include "tprt/tprt.h"
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static int replacement(void) { return 3; }
static int spoil(const tprt_site *site, void *data) {
  tprt_site_info info;
  tprt_site_describe(site, &info);
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  mprotect((void *)((size_t)info.sled & ~(page - 1)), page, PROT_READ | PROT_WRITE | PROT_EXEC);
  return memset((void *)info.sled, 0xff, 2) == NULL;
}

int main(int argc, char **argv) {
  dlopen(argv[1], RTLD_NOW);
  dlopen(argv[2], RTLD_NOW);
  tprt_selector selector = {.function = "function", .module = "lib1.so"};
  tprt_site_visit(&selector, spoil, NULL);
  selector.module = "lib?.so";
  tprt_action action = {.kind = TPRT_ACTION_REDIRECT, .replacement = (void *)replacement};
  tprt_probe *probe;
  tprt_probe_attach(&selector, &action, &probe, NULL);
  puts(tprt_error_string());
}
