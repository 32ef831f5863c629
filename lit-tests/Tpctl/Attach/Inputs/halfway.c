// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Waits in a place where pthread_create must not be called: in a handler that
// has interrupted malloc ("handler", or "stack" on a stack of its own), or in a
// constructor of a library that is being loaded ("constructor").
#define _GNU_SOURCE
#include <dlfcn.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

static void waitForInput(void) {
  struct pollfd input = {0, POLLIN, 0};
  puts("ready");
  fflush(stdout);
  poll(&input, 1, -1);
  puts("done");
  fflush(stdout);
  _exit(0);
}

#ifdef LIBRARY
__attribute__((constructor)) static void load(void) { waitForInput(); }
#else
static void handler(int signal) {
  (void)signal;
  waitForInput();
}

int main(int argc, char **argv) {
  if (argc > 2)
    return !dlopen(argv[2], RTLD_NOW);
  static char stack[65536];
  stack_t other = {stack, 0, sizeof stack};
  struct sigaction action = {.sa_handler = handler};
  if (!strcmp(argv[1], "stack")) {
    sigaltstack(&other, 0);
    action.sa_flags = SA_ONSTACK;
  }
  sigaction(SIGALRM, &action, 0);
  struct itimerval once = {{0, 0}, {0, 20000}};
  setitimer(ITIMER_REAL, &once, 0);
  for (volatile unsigned n = 0;; ++n)
    free(malloc(16 + n % 4096));
}
#endif
