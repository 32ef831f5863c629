// _exit, _Exit and quick_exit end a program without the handlers that exit runs. The table must
// still be printed, once, and the exit status must be the program's.
//
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 %s -o %t
// RUN: not env LD_PRELOAD=%{libdir}/libtprt.so TPRT_OPTIONS=count=end %t 0 2>&1 | FileCheck %s
// RUN: not env LD_PRELOAD=%{libdir}/libtprt.so TPRT_OPTIONS=count=end %t 1 2>&1 | FileCheck %s
// RUN: not env LD_PRELOAD=%{libdir}/libtprt.so TPRT_OPTIONS=count=end %t 2 2>&1 | FileCheck %s
// RUN: not env LD_PRELOAD=%{libdir}/libtprt.so TPRT_OPTIONS=count=end %t 3 2>&1 | FileCheck %s
//
// Also with a linked libtprt. If a static program prints no table, a line reports that.
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 %s %tprt_flags -Wl,--no-as-needed -ltprt -o %t.linked
// RUN: not env TPRT_OPTIONS=count=end %t.linked 1 2>&1 | FileCheck %s
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 -static %s -Wl,-u,tprt_probe_attach_sized %{libdir}/libtprt.a -o %t.static
// RUN: not env TPRT_OPTIONS=count=end %t.static 1 2>&1 | FileCheck %s --check-prefix=STATIC
// RUN: not env TPRT_OPTIONS=count=end %t.static 3 2>&1 | FileCheck %s
//
// CHECK: tprt: 1 call of 1 function (1 watched)
// CHECK-NOT: tprt:
// STATIC: tprt: no table is printed if this program ends by _exit or exec
// STATIC-NOT: tprt: 1 call
#include <stdlib.h>
#include <unistd.h>
__attribute__((noinline)) void end(int how) {
  if (how == 0)
    exit(7);
  if (how == 1)
    _exit(7);
  if (how == 2)
    _Exit(7);
  quick_exit(7);
}
int main(int argc, char **argv) { end(atoi(argv[1])); }
