// This concerns programs in which libtprt shows signal handlers the program's own addresses. If this fails, a program
// that saves and restores an action loses the change of siginterrupt(). After the kernel has reset its handler, the
// program sees a flag that it has not set.
//
// RUN: %clang -O1 -Wno-deprecated-declarations %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
// RUN: %t translated | FileCheck %s
//
// CHECK: signal: restarts, siginterrupt(1): ends calls, restored: ends calls, siginterrupt(0): restarts
// CHECK-NEXT: with information: has SA_SIGINFO
// CHECK-NEXT: reset after 1 signal, SIG_DFL without SA_SIGINFO
// CHECK-NEXT: reset after 1 signal, SIG_DFL with SA_SIGINFO
#define _GNU_SOURCE
#include "tprt/tprt.h"
#include <signal.h>
#include <stdio.h>

static volatile int signals;
static void h(int number) { ++signals; }
static void informed(int number, siginfo_t *info, void *context) { signals += info->si_signo == number; }

static struct sigaction current(void) {
  struct sigaction now;
  sigaction(SIGUSR1, NULL, &now);
  return now;
}

static const char *restarts(void) {
  struct sigaction now = current();
  return now.sa_handler != h ? "another handler" : now.sa_flags & SA_RESTART ? "restarts" : "ends calls";
}

static void reset(struct sigaction action) {
  signals = 0;
  sigaction(SIGUSR1, &action, NULL);
  raise(SIGUSR1);
  struct sigaction now = current();
  printf("reset after %d signal, %s %s SA_SIGINFO\n", signals, now.sa_handler == SIG_DFL ? "SIG_DFL" : "a handler",
         now.sa_flags & SA_SIGINFO ? "with" : "without");
}

int main(int count, char **arguments) {
  if (count > 1)
    tprt_signal_translate();
  signal(SIGUSR1, h);
  printf("signal: %s, ", restarts());
  siginterrupt(SIGUSR1, 1);
  printf("siginterrupt(1): %s, ", restarts());
  struct sigaction kept = current();
  sigaction(SIGUSR1, &kept, NULL);
  printf("restored: %s, ", restarts());
  siginterrupt(SIGUSR1, 0);
  printf("siginterrupt(0): %s\n", restarts());
  struct sigaction action = {.sa_sigaction = informed, .sa_flags = SA_SIGINFO};
  sigaction(SIGUSR1, &action, NULL);
  printf("with information: %s\n", current().sa_flags & SA_SIGINFO ? "has SA_SIGINFO" : "without SA_SIGINFO");
  reset((struct sigaction){.sa_handler = h, .sa_flags = (int)SA_RESETHAND});
  reset((struct sigaction){.sa_sigaction = informed, .sa_flags = (int)SA_RESETHAND | SA_SIGINFO});
}
