// If a process executes a second and a third program, each program has a file: NAME.PID and NAME.PID.1. If this fails,
// `tpctl record` omits some files from its sum, and does not compress them.
// REQUIRES: tprt, x86_64-host
// RUN: rm -rf %t && mkdir %t && %tp_clang -O1 -fplugin-arg-tp-entry=2,0 -fplugin-arg-tp-exit %s -nodefaultlibs -lc -o %t/app
// RUN: %tpctl record --compress -o %t/r work -- %t/app 3 2>&1 | FileCheck %s
// CHECK: 60 events, none lost
// RUN: %python -c "import glob; print([open(name, 'rb').read(24)[16] & 1 for name in sorted(glob.glob('%t/r*'))])" | FileCheck %s --check-prefix=PACKED
// PACKED: [1, 1, 1]
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
__attribute__((noinline)) int work(int n) {
  __asm__ volatile("" : "+r"(n));
  return n;
}
int main(int argc, char **argv) {
  int programs = atoi(argv[1]);
  char left[20];
  for (int i = 0; i < 10; ++i)
    work(i);
  snprintf(left, sizeof left, "%d", programs - 1);
  if (programs > 1)
    execl(argv[0], argv[0], left, NULL);
  return 0;
}
