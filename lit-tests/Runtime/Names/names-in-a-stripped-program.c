// If this fails, a probe by name finds nothing in a stripped program that was
// compiled with -ftp-names.
// RUN: %clang -O1 -fplugin-arg-tp-entry=2,0 -fplugin-arg-tp-names %s %tprt_flags -o %t
// RUN: llvm-strip --strip-all %t -o %t.stripped
// RUN: %run %t.stripped | FileCheck %s
// CHECK: answer: 1
// CHECK-NEXT: *_static: 1
// CHECK-NEXT: nothing: 0
// Without -ftp-names there is nothing to find.
// RUN: %clang -O1 -fplugin-arg-tp-entry=2,0 %s %tprt_flags -o %t
// RUN: llvm-strip --strip-all %t -o %t.stripped
// RUN: %run %t.stripped | FileCheck %s --check-prefix=NONE
// NONE: answer: 0
#include "tprt/tprt.h"
#include <stdio.h>

__attribute__((noinline)) int answer(int X) { return X * 2; }
__attribute__((noinline)) static int is_static(int X) { return X + answer(X); }

static int count(const tprt_site *Site, void *Data) { return ++*(int *)Data, 0; }

int main(int Count, char **Names) {
  const char *Patterns[] = {"answer", "*_static", "nothing"};
  for (int I = 0; I != 3; ++I) {
    int Found = 0;
    tprt_selector Selector = {.function = Patterns[I]};
    tprt_site_visit(&Selector, count, &Found);
    printf("%s: %d\n", Patterns[I], Found);
  }
  return is_static(Count) == 99;
}
