// Nothing can be loaded into a static program. If such a command ends without libtprt, tpctl gives this reason.
//
// REQUIRES: x86_64-host
// RUN: gcc -static %s -o %t
// RUN: not %tpctl count --code main -- %t 2>&1 | FileCheck %s
//
// RUN: not %tpctl record --code -o %t.tp main -- %t 2>&1 | FileCheck %s --check-prefix=RECORD
// RECORD: error: nothing was recorded of '{{.*}}': it is a static program, which has no loader that could load libtprt
//
// CHECK: ended before tpctl could watch it: it is a static program, which has no loader that could load libtprt
int main(void) { return 0; }
