// If the table's pipe has no reader any more, the program ends as it would without a
// table: with its own status, not by a SIGPIPE from libtprt's write.
//
// REQUIRES: x86_64-host
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 %s -o %t
// RUN: %python -c "import os, subprocess; r, w = os.pipe(); os.close(r); \
// RUN:   print('status', subprocess.call(['%t'], stderr=w, \
// RUN:     env=dict(os.environ, LD_PRELOAD='%{libdir}/libtprt.so', TPRT_OPTIONS='count=main')))" | FileCheck %s
//
// CHECK: status 7
#include <signal.h>
int main() {
  signal(SIGPIPE, SIG_DFL);
  return 7;
}
