// Calls hit() in the way that the first argument says, and prints the callers as glibc's backtrace() finds them, the
// innermost first: the name of the case, a tab, and the names with semicolons between them.
#define _GNU_SOURCE
#include <alloca.h>
#include <dlfcn.h>
#include <execinfo.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#define KEPT __attribute__((noinline, noclone, used))
#define AFTER __asm__ volatile("" ::: "memory") // no tail call

KEPT void hit(long number) {
  void *frames[200];
  char line[8192];
  int count = backtrace(frames, 200), at = 0;
  for (int i = 1; i < count; i++) {
    Dl_info info;
    if (!dladdr((char *)frames[i] - 1, &info) || !info.dli_sname)
      info.dli_sname = "-";
    at += snprintf(line + at, sizeof line - at, "%s%s", i > 1 ? ";" : "", info.dli_sname);
  }
  printf("%ld\t%s\n", number, line);
  AFTER;
}

KEPT void plain(long number) { hit(number); AFTER; }
KEPT void outer(long number) { plain(number); AFTER; }

KEPT void with_alloca(long number) {
  volatile char *room = alloca(number * 100);
  room[0] = 1;
  hit(number);
  room[1] = 2;
}
KEPT void aligned(long number) {
  __attribute__((aligned(64))) volatile char room[256];
  room[0] = 1;
  hit(number);
  room[1] = 2;
}
KEPT void large(long number) {
  volatile char room[100000];
  room[0] = 1;
  hit(number);
  room[1] = 2;
}
KEPT void deep(long number, int depth) {
  if (depth)
    deep(number, depth - 1);
  else
    hit(number);
  AFTER;
}

static long inside;
static sigjmp_buf back;
KEPT int compare(const void *a, const void *b) {
  if (inside)
    hit(inside);
  inside = 0;
  return *(const int *)a - *(const int *)b;
}
KEPT void *thread(void *number) { outer((long)number); AFTER; return NULL; }
KEPT void handler(int signal) { (void)signal; hit(inside); AFTER; }
KEPT void interrupted(void) { raise(SIGUSR1); AFTER; }
KEPT void faulting(void) {
  volatile int before = 0; // so that the address before the fault is in the function
  before = 1;
  *(volatile int *)8 = 1;
}
KEPT void fault_handler(int signal) { (void)signal; hit(inside); siglongjmp(back, 1); }

KEPT void all(void) {
  int numbers[] = {3, 1};
  outer(1);
  with_alloca(2);
  aligned(3);
  large(4);
  deep(5, 6);
  inside = 6;
  qsort(numbers, 2, sizeof *numbers, compare);
  pthread_t other;
  pthread_create(&other, NULL, thread, (void *)7);
  pthread_join(other, NULL);
  signal(SIGUSR1, handler);
  inside = 8;
  interrupted();
  stack_t stack = {.ss_sp = malloc(65536), .ss_size = 65536};
  sigaltstack(&stack, NULL);
  struct sigaction on_fault = {.sa_handler = fault_handler, .sa_flags = SA_ONSTACK};
  sigaction(SIGSEGV, &on_fault, NULL);
  inside = 9;
  if (!sigsetjmp(back, 1))
    faulting();
}

int main(void) {
  void *first[1];
  backtrace(first, 1); // loads libgcc
  all();
  return 0;
}
