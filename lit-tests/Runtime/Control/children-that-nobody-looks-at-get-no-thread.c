// A tool observes the command that it starts. No tool observes the command's children, whether by fork() alone or
// with exec. These children get no thread, and a child of fork() begins with everything off. If this fails, a program
// that insists on a single thread, such as Chromium's zygote, ends when a tool observes its parent.
//
// REQUIRES: tpctl
// RUN: %clang -O1 -fplugin-arg-tp-entry=2,0 -fplugin-arg-tp-exit %s %tprt_flags -o %t
// RUN: %tpctl count -o - leaf -- %t > %t.count; FileCheck %s < %t.count
// RUN: %tpctl hist -o - leaf -- %t > %t.hist; FileCheck %s < %t.hist
//
// CHECK: child: 1 thread, 0 sites on
// CHECK: grandchild: 1 thread, 0 sites on
// CHECK: second program: 1 thread, 0 sites on
#include "../Inputs/harness.h"
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

__attribute__((noinline)) int leaf(int x) { __asm__ volatile("" : "+r"(x)); return x + 1; }

static void say(const char *who) {
  tprt_stats stats;
  struct stat tasks;
  if (leaf(1) != 2 || tprt_stats_read(&stats) || stat("/proc/self/task", &tasks))
    _exit(1);
  int threads = (int)tasks.st_nlink - 2;
  printf("%s: %d thread%s, %zu sites on\n", who, threads, threads == 1 ? "" : "s", (size_t)stats.enabled);
  fflush(stdout);
}

int main(int count, char **arguments) {
  if (count > 1) {
    say("second program");
    return 0;
  }
  for (int i = 0; i < 10; ++i)
    leaf(i);
  if (fork() == 0) {
    say("child");
    if (fork() == 0) {
      say("grandchild");
      execl("/proc/self/exe", arguments[0], "again", NULL);
    }
    return wait(NULL) < 0;
  }
  return wait(NULL) < 0;
}
