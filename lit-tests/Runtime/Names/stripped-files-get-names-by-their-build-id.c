// A distribution's package of debug symbols has the file
// /usr/lib/debug/.build-id/ab/cdef01.debug for the build-id abcdef01. If this fails, a
// pattern finds nothing in the stripped program, or names are those of another build. The
// folder is mounted only for this test.
//
// REQUIRES: x86_64-host, userns
// RUN: test -d /usr/lib/debug && rm -rf %t && mkdir -p %t/root/.build-id/ab %t/other/.build-id/ab
// RUN: %clang -O1 -fplugin-arg-tp-entry=2,0 %s -Wl,--build-id=0xabcdef01 -o %t/app
// RUN: %clang -O1 -fplugin-arg-tp-entry=2,0 %s -Wl,--build-id=0xabcdef02 -o %t/app2
// RUN: llvm-objcopy --only-keep-debug %t/app %t/root/.build-id/ab/cdef01.debug
// RUN: llvm-objcopy --only-keep-debug %t/app2 %t/other/.build-id/ab/cdef01.debug
// RUN: llvm-strip %t/app
// RUN: %t/app2 %t/root env LD_PRELOAD=%{libdir}/libtprt.so TPRT_OPTIONS=count=work %t/app 2>&1 | FileCheck %s
// RUN: %t/app2 %t/other env LD_PRELOAD=%{libdir}/libtprt.so TPRT_OPTIONS=count=work %t/app 2>&1 | FileCheck %s --check-prefix=OTHER
//
// CHECK: 2 work
// OTHER-NOT: 2 work
// OTHER: no function with sleds of {{.*}}app has a name; was it stripped?
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <sys/mount.h>
#include <unistd.h>

__attribute__((noinline)) static int work(int X) { return X * 3; }

int main(int Count, char **Names) {
  if (Count < 3)
    return work(work(Count)) == 99;
  if (unshare(CLONE_NEWUSER | CLONE_NEWNS) || mount(Names[1], "/usr/lib/debug", NULL, MS_BIND, NULL))
    return perror("unshare or mount"), 1;
  execvp(Names[2], Names + 2);
  return 1;
}
