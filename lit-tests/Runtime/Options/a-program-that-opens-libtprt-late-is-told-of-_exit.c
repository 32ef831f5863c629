// If a program opens libtprt by dlopen, its calls of _exit cannot be intercepted.
// If this fails, such a program silently loses its tables.
//
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 %s -ldl -o %t
// RUN: env TPRT_OPTIONS=count=work %t %{libdir}/libtprt.so 2>&1 | FileCheck %s
// RUN: env LD_PRELOAD=%{libdir}/libtprt.so TPRT_OPTIONS=count=work %t %{libdir}/libtprt.so 2>&1 | FileCheck %s --check-prefix=FIRST --implicit-check-not='loaded too late'
//
// CHECK: tprt: no table is printed if this program ends by _exit or exec: libtprt is linked statically, or was loaded too late
// FIRST: 1  work
#include <dlfcn.h>
#include <unistd.h>
__attribute__((noinline)) void work(void) { __asm__ volatile(""); }
int main(int argc, char **argv) {
  if (!dlopen(argv[1], RTLD_NOW))
    return 1;
  work();
  _exit(0);
}
