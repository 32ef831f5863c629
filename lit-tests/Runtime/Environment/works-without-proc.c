// If nothing is mounted at /proc (in a chroot or a container), names come from
// the file from which the program was started, and probes work.
//
// REQUIRES: userns
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: no /proc: it was done, 1 hit, then 1
#define _GNU_SOURCE
#include "../Inputs/hits-then-none.h"
#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

int main() {
  if (unshare(CLONE_NEWUSER | CLONE_NEWNS) || mount("none", "/proc", "tmpfs", 0, NULL))
    return perror("unshare or mount"), 1;
  printf("%s /proc: ", access("/proc/self/maps", F_OK) ? "no" : "with");
  return hitsThenNone();
}
