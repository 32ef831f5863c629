// If nothing is mounted at /proc, the runtime cannot know whether a debugger is attached. So
// sites that need a trap are refused, and SIGTRAP stays as it is.
//
// REQUIRES: userns, x86_64-host
// RUN: %clang -O2 -fplugin-arg-tp-entry=1 %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: 1 of 1 site refused, the first main ({{.*}}): it needs a trap, {{.*}} /proc
// CHECK-NEXT: SIGTRAP untouched: 1
#define _GNU_SOURCE
#include "tprt/tprt.h"
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mount.h>

__attribute__((tp_never)) static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) {}
int main() {
  if (unshare(CLONE_NEWUSER | CLONE_NEWNS) || mount("none", "/proc", "tmpfs", 0, NULL))
    return perror("unshare or mount"), 1;
  tprt_selector selector = {.address = (void *)main, .flags = TPRT_SELECT_TRAPS};
  tprt_action action = {.handler = onHit};
  tprt_probe *probe;
  struct sigaction now;
  tprt_probe_attach(&selector, &action, &probe, NULL);
  puts(tprt_error_string());
  sigaction(SIGTRAP, NULL, &now);
  printf("SIGTRAP untouched: %d\n", now.sa_handler == SIG_DFL);
}
