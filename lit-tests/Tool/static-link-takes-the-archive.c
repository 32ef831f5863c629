// If this fails, -static does not work, or TPRT_OPTIONS does nothing in a static
// program because no object of libtprt.a was linked.
// RUN: %tp_clang -Werror -ftp-entry=2,0 -O1 -static %s -o %t
// RUN: %t | FileCheck %s
// CHECK: ran
// RUN: env TPRT_OPTIONS=count=work %t 2>&1 | FileCheck %s --check-prefix=COUNT
// COUNT: work
// RUN: %tp_clang -Werror -ftp-entry=2,0 -O1 -static-pie %s -o %t.pie
// RUN: env TPRT_OPTIONS=count=work %t.pie 2>&1 | FileCheck %s --check-prefix=COUNT
#include <stdio.h>
__attribute__((noinline)) void work(void) { puts("ran"); }
int main(void) { work(); }
