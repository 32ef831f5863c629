// A program that TPRT_OPTIONS was meant for has the thread that looks for uprobes. A program that it starts inherits the
// variable, and is looked at by nobody: it gets no thread. If this fails, programs that insist on one thread, as Chromium's
// zygote does, end where their parents are recorded by tpctl record --code.
//
// REQUIRES: x86_64-host
// RUN: gcc -O1 %s -I %tprt_include -o %t
// RUN: env LD_PRELOAD=%{libdir}/libtprt.so TPRT_OPTIONS='count=number code=1 output=/dev/null' %t | FileCheck %s
//
// CHECK: first program: 2 threads, child: 1 thread, in another PID namespace: 1 thread, 3 calls
#define _GNU_SOURCE
#include "Inputs/watch.h"
#include <sched.h>
#include <sys/wait.h>

static int threadsOfChild(const char *name) {
  int status = 0;
  pid_t child = fork();
  if (child == 0)
    execl("/proc/self/exe", name, "again", NULL);
  waitpid(child, &status, 0);
  return WEXITSTATUS(status);
}

int main(int count, char **arguments) {
  int id, running = threads("tprt-watch", &id);
  if (number(1) + number_of_two(2) != 5)
    return 100;
  if (count > 1)
    return running;
  int inChild = threadsOfChild(arguments[0]);
  // The child does not see its parent. Needs root.
  int inNamespace = unshare(CLONE_NEWPID) ? 1 : threadsOfChild(arguments[0]);
  printf("first program: %d thread%s, child: %d thread%s, in another PID namespace: %d thread%s, %ld calls\n", running, running == 1 ? "" : "s",
         inChild, inChild == 1 ? "" : "s", inNamespace, inNamespace == 1 ? "" : "s", number(2));
  return 0;
}
