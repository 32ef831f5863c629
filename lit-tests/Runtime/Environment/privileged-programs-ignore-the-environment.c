// A set-user-id program ignores TPRT_OPTIONS. Otherwise the user who starts the program
// could make it write its owner's files. (The program is linked statically, because its
// owner may not be allowed to read this folder.)
//
// REQUIRES: root
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 %s -I %tprt_include -Wl,-u,tprt_probe_attach_sized %{libdir}/libtprt.a -o %t
// RUN: env TPRT_OPTIONS=count=main %t 2>&1 | FileCheck --check-prefix=PLAIN %s
// RUN: chown 65534 %t && chmod u+s %t
// RUN: env TPRT_OPTIONS=count=main %t 2>&1 | FileCheck --check-prefix=SECURE %s
//
// PLAIN: 1 call of 1 function
// SECURE-NOT: calls
// SECURE: secure 1
// SECURE-NOT: calls
#include "tprt/tprt.h"
#include <stdio.h>
#include <sys/auxv.h>
int main() {
  printf("secure %lu with %s\n", getauxval(AT_SECURE), tprt_version_string());
  fflush(stdout);
}
