// If this fails, the command line with which every document begins does not work.
// RUN: rm -rf %t && mkdir %t && cp %s %t/app.c && cd %t
// RUN: %shim/clang -fplugin=libtp.so -ftp-entry=2,0 app.c -ltprt
// RUN: %t/a.out | FileCheck %s
// CHECK: libtprt 0.
#include <stdio.h>
const char *tprt_version_string(void);
int main(void) { printf("libtprt %s\n", tprt_version_string()); }
