// With --await, `trace` finds points of a library that the program loads later, with and without expressions. If this
// fails, trace ends with an error before the program runs, or shows nothing of the library.
//
// REQUIRES: tpctl
// RUN: gcc -g -O2 -fPIC -shared -DLIBRARY -I %tprt_include %s -o %t.so
// RUN: gcc -g -O2 %s -o %t -ldl
// RUN: %tpctl trace late --await -- %t %t.so 2>&1 | FileCheck %s --check-prefix=PLAIN
// PLAIN: note: nothing of {{.*}} matches late so far: {{.*}}; libraries that are loaded later are searched as well
// PLAIN: * late: n=1
// PLAIN: * late: n=2
// RUN: %tpctl trace late --await --print arg0 -- %t %t.so 2>&1 | FileCheck %s --check-prefix=VALUES
// RUN: %tpctl trace late --await --print n -- %t %t.so 2>&1 | FileCheck %s --check-prefix=VALUES
// RUN: %tpctl trace point:late --await --print n -- %t %t.so 2>&1 | FileCheck %s --check-prefix=VALUES
// VALUES: note: nothing of {{.*}}late so far
// VALUES: late {{arg0|n}}=1
// VALUES: late {{arg0|n}}=2
// RUN: not %tpctl trace late --print arg0 -- %t %t.so 2>&1 | FileCheck %s --check-prefix=ERROR
// ERROR: error: {{.*}}matches late
#ifdef LIBRARY
#include <tprt/trace.h>
TPRT_POINT(late);
// The arguments are computed only if somebody watches the point.
int seen;
void reach(void) { TPRT_TRACE(late, "n=%d", ++seen); }
#else
#include <dlfcn.h>
int main(int argc, char **argv) {
  void *library = dlopen(argv[argc - 1], RTLD_NOW);
  void (*reach)(void) = (void (*)(void))dlsym(library, "reach");
  volatile int *seen = (volatile int *)dlsym(library, "seen");
  while (*seen < 2)
    reach();
}
#endif
