// If this fails, a child of vfork() that changes its own signal handlers also changes its parent's handlers, and
// the parent runs the child's handler. This concerns programs in which libtprt shows signal handlers the program's
// own addresses.
//
// REQUIRES: x86_64-host
// RUN: %clang -O1 %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
// RUN: env TPRT_OPTIONS=signals=1 %t | FileCheck %s
//
// CHECK: translated
// CHECK-NEXT: the child has SIG_DFL: sigaction shows it h, then DFL; the parent runs h h, has h
// CHECK-NEXT: the child has SIG_IGN: sigaction shows it h, then IGN; the parent runs h h, has h
// CHECK-NEXT: the child has other: sigaction shows it h, then other; the parent runs h h, has h
// CHECK-NEXT: the child ran other
// CHECK-NEXT: a child of fork has handlers of its own: other, the parent runs h
#define _GNU_SOURCE
#include "tprt/tprt.h"
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *volatile ran, *volatile ranFirst;
static void h(int number) { ran = "h"; }
static void other(int number) { ran = "other"; }

static const char *nameOf(void (*handler)(int)) {
  return handler == h ? "h" : handler == other ? "other" : handler == SIG_DFL ? "DFL" : handler == SIG_IGN ? "IGN" : "unknown";
}

static const char *current(void) {
  struct sigaction now;
  sigaction(SIGUSR1, NULL, &now);
  return nameOf(now.sa_handler);
}

static void try(const char *name, void (*handler)(int)) {
  const char *volatile first, *volatile then, *volatile inChild = NULL;
  ran = NULL;
  if (vfork() == 0) {
    first = current();
    struct sigaction action = {.sa_handler = handler};
    sigaction(SIGUSR1, &action, NULL);
    signal(SIGUSR2, handler);
    then = current();
    if (handler == other)
      raise(SIGUSR1), inChild = ran;
    _exit(0);
  }
  wait(NULL);
  ran = NULL, raise(SIGUSR1), ranFirst = ran;
  ran = NULL, raise(SIGUSR2);
  printf("the child has %s: sigaction shows it %s, then %s; the parent runs %s %s, has %s\n", name, first, then,
         ranFirst ? ranFirst : "nothing", ran ? ran : "nothing", current());
  if (inChild)
    printf("the child ran %s\n", inChild);
}

int main(void) {
  signal(SIGUSR1, h); // before the request, and one after it
  puts(tprt_signal_translate() == TPRT_STATUS_OK ? "translated" : tprt_error_string());
  signal(SIGUSR2, h);
  try("SIG_DFL", SIG_DFL);
  try("SIG_IGN", SIG_IGN);
  try("other", other);
  fflush(stdout);
  int status;
  pid_t child = fork();
  if (child == 0) {
    signal(SIGUSR1, other);
    raise(SIGUSR1);
    _exit(ran && *ran == 'o');
  }
  waitpid(child, &status, 0);
  raise(SIGUSR1);
  printf("a child of fork has handlers of its own: %s, the parent runs %s\n", WEXITSTATUS(status) ? "other" : "unknown", ran);
}
