// If this fails, a child of fork() cannot turn off a point that its parent's USDT watch had turned
// on.
//
// The emulator cannot start a thread in such a child.
// REQUIRES: x86_64-host
//
// RUN: %plain_clang -O2 %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: parent: on 1
// CHECK-NEXT: child: on 1
// CHECK-NEXT: child that stops: on 0
// CHECK-NEXT: child that watches: on 1
// CHECK-NEXT: child whose tracer left: off 1
// CHECK-NEXT: child whose tracer came: on 1
// CHECK-NEXT: child that stops at last: on 0
// CHECK-NEXT: parent: on 1
// CHECK-NEXT: parent that stops: on 0
#include "tprt/point.h"
#include "tprt/trace.h"

#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

TPRT_POINT_USDT(test_provider, watched);

static int isOn(void) { return TPRT_POINT_ON(watched); }

static int becomes(int on) {
  for (int i = 0; i < 3000 && isOn() != on; ++i) // 60 s, for a loaded machine
    usleep(20000);
  TPRT_TRACE(watched, "%d", on);
  return isOn() == on;
}

static void say(const char *what, int on) {
  printf("%s %d\n", what, on);
  fflush(stdout);
}

static void child(volatile uint16_t *semaphore, int watches) {
  if (fork())
    return (void)wait(NULL);
  if (watches) {
    tprt_usdt_watch(1);
    say("child that watches: on", isOn());
    *semaphore = 0;
    say("child whose tracer left: off", becomes(0));
    *semaphore = 1;
    say("child whose tracer came: on", becomes(1));
    tprt_usdt_watch(0);
    say("child that stops at last: on", isOn());
  } else {
    say("child: on", isOn());
    tprt_usdt_watch(0);
    say("child that stops: on", isOn());
  }
  _exit(0);
}

int main(void) {
  volatile uint16_t *semaphore = &watched.point.semaphore;
  tprt_usdt_watch(1);
  *semaphore = 1;
  say("parent: on", becomes(1));
  child(semaphore, 0);
  child(semaphore, 1);
  say("parent: on", isOn());
  tprt_usdt_watch(0);
  say("parent that stops: on", isOn());
  return 0;
}
