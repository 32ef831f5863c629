// The main thread has ended, and the process lives on. The files of /proc/self are then empty.
// If this fails, a detach waits forever for a handler that was left by longjmp, or the program's
// functions have no names after its file has moved, or code cannot be written if mprotect is
// refused.
//
// REQUIRES: x86_64-host
// RUN: %clang -O2 -pthread -fplugin-arg-tp-entry=2,0 %s %tprt_interposed_flags -o %t
// RUN: cp %t %t.moved && %t.moved | FileCheck %s
// RUN: cp %t %t.moved && %t.moved refuse | FileCheck %s
//
// CHECK: hits: 1, detach: it was done
// CHECK-NEXT: left by longjmp, detach: it was done
#include "../Inputs/harness.h"
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#define NEVER __attribute__((tp_never, noinline))
static int refuse;
static const char *file;
static pthread_t mainThread;
static jmp_buf back;
static volatile int ready, stop;

// Replaces the C library's function, also for libtprt.
NEVER int mprotect(void *start, size_t bytes, int rights) {
  if (refuse && rights == (PROT_READ | PROT_WRITE | PROT_EXEC))
    return errno = EACCES, -1;
  return (int)syscall(SYS_mprotect, start, bytes, rights);
}

__attribute__((noinline)) void f(void) { __asm__ volatile(""); }
__attribute__((noinline)) void g(void) { __asm__ volatile(""); }
NEVER static void leave(const tprt_event *event, const tprt_regs *regs, void *data) { longjmp(back, 1); }
NEVER static void useStack(char byte) {
  char room[512];
  memset(room, byte, sizeof room);
  __asm__ volatile("" ::"r"(room) : "memory");
}
NEVER static void *runOn(void *unused) {
  if (!setjmp(back))
    g();
  for (ready = 1; !stop;)
    useStack(1);
  return unused;
}
NEVER static void *goOn(void *unused) {
  pthread_join(mainThread, NULL);
  char link;
  while (readlink("/proc/self/exe", &link, 1) == 1) // until the kernel has ended the thread, too
    usleep(1000);
  remove(file);
  int hits = 0;
  tprt_probe *probe = attachHandler("f", countHit, &hits);
  f();
  printf("hits: %d, detach: %s\n", hits, detach(probe, -1));
  probe = attachHandler("g", leave, NULL);
  pthread_t thread;
  pthread_create(&thread, NULL, runOn, NULL);
  waitUntil(&ready);
  printf("left by longjmp, detach: %s\n", detach(probe, 5000));
  stop = 1;
  pthread_join(thread, NULL);
  exit(0);
}
NEVER int main(int count, char **arguments) {
  refuse = count > 1;
  file = arguments[0];
  mainThread = pthread_self();
  pthread_t thread;
  pthread_create(&thread, NULL, goOn, NULL);
  pthread_exit(NULL);
}
