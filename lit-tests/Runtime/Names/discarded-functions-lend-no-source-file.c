// The line table keeps the rows of functions that --gc-sections removed, from address 0 or -1
// on. Functions that lie at these addresses must not get the removed functions' files.
//
// REQUIRES: lld
// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: %clang -O2 -fPIE -gline-tables-only -ffunction-sections -fplugin-arg-tp-entry=2,0 -I %tprt_include -c main.c dead.c
// RUN: %clang -pie main.o dead.o %tprt_flags -Wl,--gc-sections -o bfd && ./bfd | FileCheck main.c
// RUN: %clang -pie main.o dead.o %tprt_flags -Wl,--gc-sections -fuse-ld=lld -o lld && ./lld | FileCheck main.c
//--- dead.c
int alive(void) { return 1; }
__attribute__((tp_never)) void dead(void) { __asm__ volatile(".fill 65536, 1, 0"); }
//--- main.c
#include "tprt/tprt.h"
#include <stdio.h>
int alive(void);
static int show(const tprt_site *site, void *unused) {
  tprt_site_info info;
  tprt_site_describe(site, &info);
  return printf(" %s", info.name) < 0;
}
int main() {
  tprt_selector dead = {.source = "dead.c"};
  printf("dead.c:");
  tprt_site_visit(&dead, show, 0);
  return puts(".") == alive();
  // CHECK: dead.c: alive.
}
