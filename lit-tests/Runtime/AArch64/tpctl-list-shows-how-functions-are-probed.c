// For each site of a process on AArch64, `tpctl list --code -v` shows how it would be probed, and its instruction. `tpctl count --code` counts the hits.
//
// REQUIRES: tpctl
// RUN: %plain_clang -O2 -fpatchable-function-entry=1 %s %tprt_flags -o %t
// RUN: env TPRT_OPTIONS=control=1 %t %{tpctl} | FileCheck %s
//
// CHECK: off  entry+exit      code        add
// CHECK-NEXT: entry jump    +0x0     1f2003d5                nop
// CHECK-NEXT: exit  jump    +0x8     c0035fd6                ret{{$}}
// CHECK: off  entry+tail      code        last
// CHECK-NEXT: entry jump    +0x0     1f2003d5                nop
// CHECK-NEXT: tail  jump    +0x8     {{......}}17                b 0x
// CHECK: hits
// CHECK: last
#include "../Inputs/harness.h"
#include <pthread.h>

__attribute__((noinline)) long add(long a, long b) {
  __asm__ volatile("" : "+r"(a));
  return a + b;
}
__attribute__((noinline)) long last(long a) {
  __asm__ volatile("" : "+r"(a));
  return add(a, 1);
}

static volatile int over;
static void *callUntilOver(void *unused) {
  for (long i = 0; !over; ++i)
    last(i), usleep(1000);
  return unused;
}

int main(int argc, char **argv) {
  pthread_t thread;
  char command[1000];
  pthread_create(&thread, NULL, callUntilOver, NULL);
  snprintf(command, sizeof command, "%s list --code -v -p %d '*.c.tmp!add' '*.c.tmp!last'", argv[1], getpid());
  int status = system(command);
  snprintf(command, sizeof command, "%s count --code -p %d --for 200ms '*.c.tmp!last'", argv[1], getpid());
  status |= system(command);
  over = 1;
  pthread_join(thread, NULL);
  return status != 0;
}
