// If this fails, every instrumented shared library loads libtprt into programs
// that do not use it.
// RUN: %tp_clang -Werror -ftp-entry=2,0 -shared -fPIC %s -o %t.so
// RUN: llvm-readelf -d %t.so | FileCheck %s --implicit-check-not=libtprt
// CHECK: (NEEDED)
// RUN: %tp_clang -Werror -ftp-entry=2,0 -DCALLS -shared -fPIC %s -o %t.calls.so
// RUN: llvm-readelf -d %t.calls.so | FileCheck %s --check-prefix=CALLS
// CALLS: (NEEDED) {{.*}}libtprt.so
#include <stdio.h>
const char *tprt_version_string(void);
#ifdef CALLS
int f(void) { return puts(tprt_version_string()); }
#else
int f(void) { return puts(""); }
#endif
