// Under PR_SET_MDWE no writable memory may become executable. So stubs use a file
// mapping, and sleds are written through /proc/self/mem.
//
// REQUIRES: mdwe
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: it was done, 1 hit, then 1
#include "../Inputs/hits-then-none.h"
#include <sys/prctl.h>

int main() {
  if (prctl(65 /* PR_SET_MDWE */, 1 /* PR_MDWE_REFUSE_EXEC_GAIN */, 0, 0, 0))
    return perror("PR_SET_MDWE"), 1;
  return hitsThenNone();
}
