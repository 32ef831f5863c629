// If the disk fills up while a program is recorded, the recording ends but the program
// continues: there is no SIGBUS. What was recorded before, up to the disk's last blocks, is in
// the file. The disk is a small tmpfs in a separate namespace.
//
// REQUIRES: x86_64-host, userns
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 -fplugin-arg-tp-exit %s -o %t %tprt_flags
// RUN: rm -rf %t.disk && mkdir %t.disk
// RUN: unshare -rm sh -c "mount -t tmpfs -o size=3m tmpfs %t.disk && TPRT_OPTIONS=record=%t.disk/rec:step %t && %tpctl report %t.disk/rec" 2>&1 | FileCheck %s
// RUN: unshare -rm sh -c "mount -t tmpfs -o size=500k tmpfs %t.disk && TPRT_OPTIONS=record=%t.disk/rec:step %t; ls %t.disk" 2>&1 | FileCheck %s --check-prefix=SMALL
//
// CHECK: no more space (disk full, or a limit): the recording has ended
// CHECK-NOT: space
// CHECK: {{^}}the program goes on{{$}}
// CHECK: events of 1 thread {{.*}} lost
// SMALL: no space for the recording's 1 MiB: the disk is full; choose another disk or a smaller size
// SMALL: {{^}}the program goes on{{$}}
// SMALL-NOT: rec
#include <stdio.h>
__attribute__((noinline)) void step(void) { __asm__ volatile(""); }

int main(void) {
  for (int i = 0; i < 500000; ++i)
    step();
  puts("the program goes on");
  fflush(stdout);
}
