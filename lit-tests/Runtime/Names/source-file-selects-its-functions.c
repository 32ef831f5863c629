// A selector by source file finds the functions that begin there, by base name, by the
// path's last components, and by a glob of either, in DWARF 5 and 4. Code inlined from
// another file at a function's start does not count. Without a line table, a line gives
// the reason.
//
// RUN: rm -rf %t && split-file %s %t
// RUN: cd %t && %clang -O2 -gdwarf-5 -fplugin-arg-tp-entry=2,0 -I %tprt_include main.c src/one.c %tprt_flags -o five
// RUN: ./five 2>&1 | FileCheck %s
// RUN: cd %t && %clang -O2 -gdwarf-4 -fplugin-arg-tp-entry=2,0 -I %tprt_include main.c src/one.c %tprt_flags -o four
// RUN: ./four 2>&1 | FileCheck %s
// RUN: cd %t && llvm-strip -g four -o none
// RUN: env TPRT_OPTIONS=verbose=1 ./none 2>&1 | FileCheck --check-prefix=NONE %s
//
// CHECK: one.c: one one_static{{$}}
// CHECK-NEXT: src/one.c: one one_static{{$}}
// CHECK-NEXT: *src/*: one one_static{{$}}
// CHECK-NEXT: s?c/*.c: one one_static{{$}}
// CHECK-NEXT: rc/*.c: no site matches the selector
// CHECK-NEXT: rc/one.c: no site matches the selector
// CHECK-NEXT: main.c: main{{.*}}
// CHECK-NEXT: shared.h: no site matches the selector
// NONE: none: can't search for the source file one.c: it has no line table; build it with -g or -gline-tables-only
//--- src/one.c
#include "../shared.h"
__attribute__((noinline)) static int one_static(int x) { return shared(x); }
int one(int x) { return one_static(x) + 1; }
//--- shared.h
static inline int shared(int x) { __asm__ volatile("" : "+r"(x)); return x; }
//--- main.c
#include "tprt/tprt.h"
#include <stdio.h>

int one(int x);
__attribute__((noinline)) static int print(const tprt_site *site, void *data) {
  tprt_site_info info;
  tprt_site_describe(site, &info);
  return printf(" %s", info.name) < 0;
}

int main() {
  const char *sources[] = {"one.c", "src/one.c", "*src/*", "s?c/*.c", "rc/*.c", "rc/one.c", "main.c", "shared.h"};
  for (int i = 0; i < 8; ++i) {
    tprt_selector selector = {.source = sources[i]};
    printf("%s:", sources[i]);
    tprt_status status = tprt_site_visit(&selector, print, NULL);
    puts(status == TPRT_STATUS_OK ? "" : " no site matches the selector");
  }
  return one(1) != 2;
}
