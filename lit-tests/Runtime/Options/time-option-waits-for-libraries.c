// TPRT_OPTIONS=time and not= also apply to later libraries. Functions there that
// cannot be timed are counted, too.
//
// RUN: rm -rf %t && split-file %s %t
// RUN: %tp_clang -O2 -fPIC -shared -ftp-entry=2,0 -ftp-exit %t/lib.c -o %t/lib.so
// RUN: %plain_clang %t/main.c -o %t/main
// RUN: env LD_PRELOAD=%{libdir}/libtprt.so "TPRT_OPTIONS=time=* not=inner" %t/main %t/lib.so 2>&1 | FileCheck %s
//
// CHECK: tprt: 3 calls of 1 function took {{.*}} (2 watched) in main
// CHECK: 3 {{.*}} plug (lib.so)
// CHECK-NEXT: not timed: 1 function without an exit sled
//--- lib.c
#include <stdlib.h>
__attribute__((noinline)) int inner(int x) { __asm__ volatile(""); return x; }
int plug(int x) { inner(x); __asm__ volatile(""); return inner(x) + 2; }
void ends(void) { exit(0); }
//--- main.c
#include <dlfcn.h>
int main(int argc, char **argv) {
  void *library = dlopen(argv[1], RTLD_NOW);
  int (*plug)(int) = (int (*)(int))dlsym(library, "plug"), sum = 0;
  void (*ends)(void) = (void (*)(void))dlsym(library, "ends");
  for (int i = 0; i < 3; ++i)
    sum += plug(i);
  dlclose(library);
  if (sum == 9)
    ends();
  return 1;
}
