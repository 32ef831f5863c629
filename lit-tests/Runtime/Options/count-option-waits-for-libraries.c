// The only instrumented code of a program is loaded by dlopen. TPRT_OPTIONS=count must count that
// code's calls from the first one on, and module!function must select the functions of one module.
//
// RUN: rm -rf %t && split-file %s %t
// RUN: %clang -O2 -fPIC -shared -fplugin-arg-tp-entry=2,0 %t/lib.c -o %t/lib.so
// RUN: %plain_clang %t/main.c -o %t/main
// RUN: env LD_PRELOAD=%{libdir}/libtprt.so TPRT_OPTIONS='count=lib.so!plug*' %t/main %t/lib.so 2>&1 | FileCheck %s
// RUN: env LD_PRELOAD=%{libdir}/libtprt.so TPRT_OPTIONS='count=other.so!plug*' %t/main %t/lib.so 2>&1 \
// RUN:   | FileCheck --check-prefix=OTHER %s
//
// At first there is nothing to count. That is not an error.
// CHECK: tprt: no module in this process (main) has a sled table: {{.*}}; libraries that are loaded later are searched as well
// CHECK: 2 calls of 1 function 
// CHECK: 2 plug_in (lib.so)
// OTHER: nothing was counted by count=other.so!plug*: no module that is loaded so far and has sites is called other.so
//--- lib.c
int plug_in(int x) { return x + 1; }
int quiet(int x) { return x + 1; }
//--- main.c
#include <dlfcn.h>
int main(int argc, char **argv) {
  void *library = dlopen(argv[1], RTLD_NOW);
  int (*in)(int) = (int (*)(int))dlsym(library, "plug_in"), (*quiet)(int) = (int (*)(int))dlsym(library, "quiet");
  return quiet(in(in(0))) != 3;
}
