// A debugger treats an int3 as its own. So no sled is flipped by traps under a debugger,
// or if /proc does not show whether a debugger is attached. Sleds that need no trap are
// still flipped.
//
// REQUIRES: x86_64-host
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: alone: it was done, 2 of 2
// CHECK-NEXT: traced: some sites were refused, the others are on, 1 of 2
// CHECK-NEXT: 1 of 2 sites refused, the first f_small ({{.*}}): it needs a trap, which a debugger would mistake for its own
#include "tprt/tprt.h"
#include <stdio.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

__attribute__((noinline, tp_entry(1))) void f_small(void) { __asm__ volatile(""); }
__attribute__((noinline)) void f_usual(void) { __asm__ volatile(""); }
static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) {}
static int toggle(const char *when) {
  tprt_selector selector = {.function = "f_*", .flags = TPRT_SELECT_TRAPS};
  tprt_action action = {.handler = onHit};
  tprt_probe *probe;
  tprt_result result;
  tprt_status status = tprt_probe_attach(&selector, &action, &probe, &result);
  printf("%s: %s, %zu of %zu\n", when, tprt_status_string(status), result.enabled, result.matched);
  if (status != TPRT_STATUS_OK)
    puts(tprt_error_string());
  tprt_probe_detach(probe, -1);
  return fflush(stdout);
}

int main() {
  toggle("alone");
  if (fork() == 0) {
    ptrace(PTRACE_TRACEME, 0, NULL, NULL);
    _exit(toggle("traced"));
  }
  int status;
  wait(&status);
  return !WIFEXITED(status);
}
