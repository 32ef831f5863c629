// If this fails, a program linked by tp-clang does not run on the build machine, or is
// not linked with libtprt if it calls no function of libtprt.
// RUN: %tp_clang -Werror -ftp-entry=2,0 %s -o %t
// RUN: %t | FileCheck %s
// CHECK: ran
// RUN: llvm-readelf -d %t | FileCheck %s --check-prefix=NEEDED
// NEEDED: (NEEDED) {{.*}}libtprt.so
#include <stdio.h>
int main(void) { return puts("ran") < 0; }
