// libtprt.so and libtprt-options.so hand structures to each other. If this fails, files of
// different builds crash the program.
//
// RUN: rm -rf %t && split-file %s %t && cp %{libdir}/libtprt.so %t/libtprt.so
// RUN: %plain_clang -shared -fPIC -Wl,-z,now %t/newer.c -o %t/libtprt-options.so
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 %t/main.c -o %t/main
// RUN: env LD_PRELOAD=%t/libtprt.so TPRT_OPTIONS=count=main %t/main %{libdir}/libtprt-options.so 2>&1 | FileCheck %s
//
// CHECK: tprt: TPRT_OPTIONS is not followed: {{.*}}libtprt-options.so is of another libtprt (interface 1000 of {{[0-9]+}} bytes, not {{[0-9]+}} of {{[0-9]+}}); install both from one build
// CHECK-NEXT: larger: nothing to be called for
// CHECK-NEXT: newer: nothing to be called for
//--- newer.c
struct { unsigned bytes, version; void *hooks[3]; } newer = {sizeof newer, 1000, {(void *)1, (void *)1, (void *)1}};
void *tprt_options_start(const void *runtime, const char *text) { return &newer; }
//--- main.c
#include <dlfcn.h>
#include <stdio.h>
struct hooks {
  unsigned bytes, version;
  void *hooks[3];
};
// What hands over structures of other sizes gets no hooks, and nothing of them is read.
static void start(void *library, const char *which, unsigned bytes, unsigned version) {
  const struct hooks *(*run)(void *, const char *) = (const struct hooks *(*)(void *, const char *))dlsym(library, "tprt_options_start");
  unsigned head[2] = {bytes, version};
  const struct hooks *got = run(head, "count=main");
  int any = 0;
  for (int i = 0; i < 3; ++i)
    any |= got->hooks[i] != NULL;
  fprintf(stderr, "%s: %s\n", which, any ? "hooks" : "nothing to be called for");
}
int main(int argc, char **argv) {
  void *library = dlopen(argv[1], RTLD_NOW);
  start(library, "larger", 100000, 1);
  start(library, "newer", 232, 1000);
}
