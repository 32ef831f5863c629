// Checks a statement about traps in docs/explanation/safety.md. If a thread that has SIGTRAP blocked meets
// a trap, its process ends. The thread survives as long as it calls no function with a trap. A thread that
// has not blocked SIGTRAP survives, too.
//
// REQUIRES: x86_64-host
// RUN: %clang -O2 -fplugin-arg-tp-entry=1 %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: calls it: died of SIGTRAP
// CHECK-NEXT: calls another: lived
// CHECK-NEXT: calls it unblocked: lived
#include "../Inputs/harness.h"
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

__attribute__((noinline)) void f(void) { __asm__ volatile(""); }
__attribute__((noinline)) void other(void) { __asm__ volatile(""); }

__attribute__((tp_never)) static void inChild(const char *what, int how, void (*call)(void)) {
  int status;
  if (fork() == 0) {
    sigset_t trap;
    sigemptyset(&trap);
    sigaddset(&trap, SIGTRAP);
    sigprocmask(how, &trap, NULL);
    call();
    _exit(0);
  }
  wait(&status);
  printf("%s: %s\n", what,
         WIFEXITED(status)            ? "lived"
         : WTERMSIG(status) == SIGTRAP ? "died of SIGTRAP"
                                       : "died");
}

__attribute__((tp_never)) int main() {
  setvbuf(stdout, NULL, _IONBF, 0);
  tprt_selector selector = {.function = "f", .flags = TPRT_SELECT_TRAPS};
  tprt_probe *probe = attachSelected(selector, (tprt_action){.handler = ignoreHit});
  inChild("calls it", SIG_BLOCK, f);
  inChild("calls another", SIG_BLOCK, other);
  inChild("calls it unblocked", SIG_UNBLOCK, f);
  tprt_probe_detach(probe, -1);
}
