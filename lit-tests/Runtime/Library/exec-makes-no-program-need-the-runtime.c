// libtprt.so has functions called _exit and execve. Linkers must not treat a program's calls
// of these as a use of the library, and dlsym must not find them.
//
// REQUIRES: lld, bfd
// RUN: %plain_clang %s -Wl,--as-needed %tprt_flags -o %t
// RUN: llvm-readelf -dW %t | FileCheck %s
// RUN: %plain_clang -fuse-ld=bfd %s -Wl,--as-needed %tprt_flags -o %t
// RUN: llvm-readelf -dW %t | FileCheck %s
// RUN: env LD_PRELOAD=%{libdir}/libtprt.so %t | FileCheck %s --check-prefix=DLSYM
//
// CHECK-NOT: libtprt.so.0
// CHECK: (NEEDED) {{.*}}libc.so.6
// CHECK-NOT: libtprt.so.0
// DLSYM: /libc.so.6
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>
int main(int argc, char **argv) {
  Dl_info info;
  if (argc > 3)
    execv(argv[1], argv);
  dladdr(dlsym(RTLD_DEFAULT, "execve"), &info);
  puts(info.dli_fname);
  fflush(stdout);
  _exit(0);
}
