// With nothing mounted at /proc (a chroot, a container) names come from the file
// the program was started as, and probes work.
//
// REQUIRES: userns
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: no /proc: it was done, 1 hit
#define _GNU_SOURCE
#include "tprt/tprt.h"
#include <sched.h>
#include <stdio.h>
#include <sys/mount.h>
#include <unistd.h>

static int hits;
static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) { ++hits; }
__attribute__((noinline)) void f(void) { __asm__ volatile(""); }

int main() {
  if (unshare(CLONE_NEWUSER | CLONE_NEWNS) || mount("none", "/proc", "tmpfs", 0, NULL))
    return perror("unshare or mount"), 1;
  printf("%s /proc: ", access("/proc/self/maps", F_OK) ? "no" : "with");
  tprt_selector selector = {.function = "f"};
  tprt_action action = {.handler = onHit};
  tprt_probe *probe;
  tprt_status status = tprt_probe_attach(&selector, &action, &probe, NULL);
  f();
  printf("%s, %d hit\n", tprt_status_string(status), hits);
}
