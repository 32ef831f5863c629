// libtprt-code.so passes a structure to libtprt.so. If this fails, files of different builds crash
// the program.
//
// REQUIRES: tprt-code
// RUN: rm -rf %t && split-file %s %t && cp %{libdir}/libtprt.so %t/libtprt.so
// RUN: %plain_clang -shared -fPIC -DVERSION=1000 '-DBYTES=sizeof(struct reader)' %t/other.c -o %t/libtprt-code.so
// RUN: %plain_clang -O2 %t/main.c -o %t/main
// RUN: env LD_PRELOAD=%t/libtprt.so TPRT_OPTIONS=code=1,count=main %t/main 2>&1 | FileCheck %s
// RUN: %plain_clang -shared -fPIC -DVERSION=1 -DBYTES=100000 %t/other.c -o %t/libtprt-code.so
// RUN: env LD_PRELOAD=%t/libtprt.so TPRT_OPTIONS=code=1,count=main %t/main 2>&1 | FileCheck %s
//
// CHECK: tprt: {{.*}}functions without sleds can't be probed: libtprt-code.so is of another build than libtprt.so; install both from one build
// CHECK-NEXT: it ran
//--- other.c
struct reader {
  unsigned bytes, version;
  void *rest[3]; // nothing of these may be called or read
};
static struct reader reader = {BYTES, VERSION, {(void *)1, (void *)1, (void *)1}};
struct reader *tprt_code_start(void) { return &reader; }
//--- main.c
#include <stdio.h>
int main() { puts("it ran"); }
