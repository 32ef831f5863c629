// The program for which TPRT_OPTIONS was set has the thread that looks for uprobes. Its child programs inherit the
// variable, but get no such thread. If this fails, and tpctl record --code records the parents, programs that insist on a
// single thread end. An example is Chromium's zygote.
//
// REQUIRES: x86_64-host
// RUN: gcc -O1 %s -I %tprt_include -o %t
// RUN: env LD_PRELOAD=%{libdir}/libtprt.so TPRT_OPTIONS='count=number code=1 output=/dev/null' %t | FileCheck %s
//
// CHECK: first program: 2 threads, 3 calls
// CHECK-NEXT: child: 1
// CHECK-NEXT: first of another PID namespace: 1
// CHECK-NEXT: there, with /proc of that namespace: 1
// CHECK-NEXT: there, with a parent that it sees: 1
#define _GNU_SOURCE
#include "Inputs/watch.h"
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>

enum Where { Here, There, WithProc, WithParent };

static int statusOf(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  return WEXITSTATUS(status);
}

// Runs the program again. Returns its number of threads, or 1 if a namespace needs root.
static int again(const char *name, enum Where where) {
  pid_t child = fork();
  if (child)
    return statusOf(child);
  if (where != Here) {
    if (unshare(CLONE_NEWPID | CLONE_NEWNS))
      _exit(1);
    if ((child = fork()))
      _exit(statusOf(child));
    if (where == WithProc && (mount("", "/", NULL, MS_REC | MS_PRIVATE, NULL) || mount("proc", "/proc", "proc", 0, NULL)))
      _exit(1);
    if (where == WithParent && (child = fork()))
      _exit(statusOf(child));
  }
  execl("/proc/self/exe", name, "again", NULL);
  _exit(100);
}

int main(int count, char **arguments) {
  int id;
  if (count > 1)
    return threads("tprt-watch", &id);
  awaitWatch(1);
  int calls = number(1) + number_of_two(2) == 5 ? number(2) : 0;
  printf("first program: %d threads, %d calls\n", threads("tprt-watch", &id), calls);
  const char *const names[] = {"child", "first of another PID namespace", "there, with /proc of that namespace",
                               "there, with a parent that it sees"};
  for (int where = Here; where <= WithParent; ++where)
    printf("%s: %d\n", names[where], again(arguments[0], (enum Where)where));
  return 0;
}
