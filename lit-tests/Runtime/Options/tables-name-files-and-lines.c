// A table shows a function's file and line, if the program has a line table of any version. A function
// that is in an included file has that file's name.
//
// RUN: rm -rf %t && split-file %s %t
// RUN: %clang -O2 -gline-tables-only -fplugin-arg-tp-entry=2,0 %t/main.c -o %t/five
// RUN: %clang -O2 -g -gdwarf-4 -fplugin-arg-tp-entry=2,0 %t/main.c -o %t/four
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 %t/main.c -o %t/none
// RUN: env LD_PRELOAD=%{libdir}/libtprt.so "TPRT_OPTIONS=count=*" %t/five 2>&1 | FileCheck %s
// RUN: env LD_PRELOAD=%{libdir}/libtprt.so "TPRT_OPTIONS=count=*" %t/four 2>&1 | FileCheck %s
// RUN: env LD_PRELOAD=%{libdir}/libtprt.so "TPRT_OPTIONS=count=*" %t/none 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: env LD_PRELOAD=%{libdir}/libtprt.so "TPRT_OPTIONS=count=* format=csv sort=name output=%t/csv" %t/five
// RUN: FileCheck %s --check-prefix=CSV --input-file=%t/csv
//
// CHECK-DAG: 1  main  ({{five|four}}, main.c:102)
// CHECK-DAG: 1  included  ({{five|four}}, included.h:1)
// CHECK-DAG: 1  before  ({{five|four}}, main.c:100)
// NONE: 1  {{.*}}  (none)
// CSV: process,calls,function,module,file,line
// CSV: ,1,"before","{{.*}}/five","{{/.*}}/main.c",100
//--- included.h
__attribute__((noinline)) int included(int x) { __asm__ volatile(""); return x; }
//--- main.c
#include "included.h"
#line 100
__attribute__((noinline)) int before(int x) { __asm__ volatile(""); return x; }

int main(int argc, char **argv) {
  return before(argc) + included(argc) - 2;
}
