// A library is closed, and another library is put at its path. The loader maps the new library at
// the same addresses. Sites and names must be those of the new library.
//
// RUN: rm -rf %t && split-file %s %t
// RUN: %clang -O2 -fPIC -shared -fplugin-arg-tp-entry=2,0 -DNAME=first %t/lib.c -o %t/first.so
// RUN: %clang -O2 -fPIC -shared -fplugin-arg-tp-entry=2,0 -DNAME=other -DMORE %t/lib.c -o %t/other.so
// RUN: %clang -O2 -fPIC -shared -fplugin-arg-tp-entry=2,0 -DNAME=twinn %t/lib.c -o %t/twin.so
// RUN: %plain_clang %t/main.c %tprt_flags -o %t/main
// RUN: cd %t && ./main first.so other.so twin.so first.so | FileCheck %s
//
// CHECK: first.so: first at {{.*}}, 1 hit
// CHECK-NEXT: other.so: more other at {{.*}}, 1 hit
// CHECK-NEXT: twin.so: twinn at {{.*}}, 1 hit
// CHECK-NEXT: first.so: first at {{.*}}, 1 hit
//--- lib.c
#ifdef MORE
int more(int x) { return x + 2; }
#endif
int NAME(int x) { return x + 1; }
int (*answer)(int) = NAME;
//--- main.c
#include "tprt/tprt.h"
#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>

static int hits;
static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) { ++hits; }
static int print(const tprt_site *site, void *data) {
  tprt_site_info info;
  tprt_site_describe(site, &info);
  return printf(" %s", info.name) < 0;
}

int main(int argc, char **argv) {
  for (int i = 1; i < argc; ++i) {
    unlink("now.so");
    link(argv[i], "now.so");
    void *library = dlopen("./now.so", RTLD_NOW);
    int (**answer)(int) = dlsym(library, "answer");
    printf("%s:", argv[i]);
    tprt_site_visit(NULL, print, NULL);
    hits = 0;
    tprt_action action = {.handler = onHit};
    tprt_probe *probe;
    tprt_probe_attach(NULL, &action, &probe, NULL);
    (*answer)(1);
    printf(" at %p, %d hit\n", (void *)*answer, hits);
    tprt_probe_detach(probe, -1);
    dlclose(library);
  }
}
