// A signal handler interrupts its thread inside attach and detach, while the thread has the runtime's lock, and
// forks. If this fails, the fork waits forever for a lock that its own thread holds. Or the interrupted call, which
// also continues in the child, writes the parent's code there instead of the child's.
//
// The program replaces some functions of the C library that the runtime calls. The signal is raised in each of these
// calls in turn. In the second round the code cannot be made writable, so it is written through /proc/self/mem. An
// emulator does not notice such writes.
//
// RUN: %clang -O2 -pthread -fplugin-arg-tp-entry=2,0 %s %tprt_interposed_flags -o %t
// RUN: %t stores | FileCheck %s
// RUN: %if x86_64-host %{ %t memory | FileCheck %s %}
//
// CHECK: forks in many places: 1, children that failed: 0, parents that failed: 0
#define _GNU_SOURCE
#include "../Inputs/harness.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>

static int armed, at, calls, forbidden, forks, failedChildren, failedParents, isChild;

// Interrupts the `at`-th of these calls.
NO_SLEDS void step(void) {
  if (!armed || ++calls != at)
    return;
  armed = 0;
  raise(SIGUSR1);
}

__attribute__((tp_never)) int mprotect(void *address, size_t bytes, int protection) {
  step();
  if (forbidden && protection & PROT_WRITE && protection & PROT_EXEC) {
    errno = EACCES;
    return -1;
  }
  return (int)syscall(SYS_mprotect, address, bytes, protection);
}
__attribute__((tp_never)) ssize_t pwrite(int file, const void *bytes, size_t count, off_t offset) {
  step();
  return syscall(SYS_pwrite64, file, bytes, count, offset);
}
__attribute__((tp_never)) ssize_t pwrite64(int file, const void *bytes, size_t count, off_t offset) {
  return pwrite(file, bytes, count, offset);
}
__attribute__((tp_never)) int pthread_setcancelstate(int state, int *old) {
  (void)state;
  if (old)
    *old = 0;
  step();
  return 0;
}

static pid_t child;
// The child, too, returns to the call that was interrupted.
__attribute__((tp_never)) static void onSignal(int number) {
  (void)number;
  child = fork();
  isChild = child == 0;
  if (isChild)
    alarm(20);
}

__attribute__((noinline)) int f(int x) {
  __asm__ volatile("" : "+r"(x));
  return x + 1;
}

// Returns whether attach and detach succeed, with the interruption in either of them.
NO_SLEDS int isRight(int inDetach) {
  armed = !inDetach;
  tprt_probe *probe = attachCounter("f");
  uint64_t before = tprt_probe_count(probe);
  int sum = 0;
  for (int i = 0; i < 10; ++i)
    sum += f(i);
  int right = sum == 55 && tprt_probe_count(probe) == before + 10;
  armed = inDetach;
  right &= tprt_probe_detach(probe, -1) == TPRT_STATUS_OK;
  armed = 0;
  for (int i = 0; i < 10; ++i)
    sum += f(i);
  return right && sum == 110 && readStats().enabled == 0;
}

__attribute__((tp_never)) int main(int count, char **arguments) {
  (void)count;
  signal(SIGUSR1, onSignal);
  alarm(60);
  tprt_probe_detach(attachCounter("f"), -1);
  forbidden = arguments[1][0] == 'm';
  for (int inDetach = 0; inDetach < 2; ++inDetach)
    for (at = 1; at < 100; ++at) {
      child = -1;
      calls = 0;
      int right = isRight(inDetach);
      if (isChild)
        _exit(!right);
      failedParents += !right;
      if (child < 0)
        break; // there are no more such calls
      int status;
      failedChildren += waitpid(child, &status, 0) != child || status != 0;
      ++forks;
    }
  printf("forks in many places: %d, children that failed: %d, parents that failed: %d\n", forks > 4, failedChildren, failedParents);
}
