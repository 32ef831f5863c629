// A child of clone(CLONE_VM) has the program's memory, and calls _exit or exec only for itself. If libtprt mistook that
// call for the program's end, tools would show the counts of that moment as the last ones. The same holds for children of
// vfork, also on several threads.
//
// REQUIRES: tpctl
// RUN: %clang -O1 -pthread -fplugin-arg-tp-entry=2,0 %s -o %t
// RUN: not %tpctl count -o - --format=csv step -- %t clone | FileCheck %s
// RUN: not %tpctl count -o - --format=csv step -- %t vfork | FileCheck %s
// CHECK: 21 right, 21000 calls
// CHECK: ,step,{{.*}},21000{{$}}
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
__attribute__((noinline)) int step(int x) { __asm__ volatile("" : "+r"(x)); return x + 1; }
static char *arguments[] = {"true", NULL}, stack[65536] __attribute__((aligned(16)));
static int inChild(void *executes) {
  if (executes)
    execv("/bin/true", arguments);
  _exit(9);
}
static int byClone(long executes) {
  pid_t child = clone(inChild, stack + sizeof stack, CLONE_VM | CLONE_VFORK | SIGCHLD, (void *)executes);
  int status = -1;
  waitpid(child, &status, 0);
  return status;
}
static int byVfork(long executes) {
  pid_t child = vfork();
  if (!child)
    inChild((void *)executes);
  int status = -1;
  waitpid(child, &status, 0);
  return status;
}
static int right, isClone;
static void *run(void *unused) {
  for (int i = 0; i < 7; ++i) {
    for (int k = 0; k < 1000; ++k)
      step(k);
    long executes = i % 2;
    int status = isClone ? byClone(executes) : byVfork(executes);
    __atomic_fetch_add(&right, WIFEXITED(status) && WEXITSTATUS(status) == (executes ? 0 : 9), __ATOMIC_RELAXED);
  }
  return NULL;
}
int main(int argc, char **argv) {
  isClone = !strcmp(argv[1], "clone");
  pthread_t threads[3];
  for (int i = 0; i < 3; ++i) {
    pthread_create(&threads[i], NULL, run, NULL);
    if (isClone) // one stack
      pthread_join(threads[i], NULL);
  }
  for (int i = 0; i < 3 && !isClone; ++i)
    pthread_join(threads[i], NULL);
  printf("%d right, 21000 calls\n", right);
  return 3;
}
