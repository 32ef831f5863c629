// If this fails, tprt_usdt_watch(0) hangs because its thread waits for a lock that the caller holds.
// Examples are a callback of dl_iterate_phdr, and a child that was forked during another thread's
// dlopen.
//
// RUN: %plain_clang -O2 %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: held: pending
// CHECK-NEXT: held, again: 0
// CHECK-NEXT: released: 0
// CHECK-NEXT: later: on 1
// CHECK-NEXT: stopped: 0, on 0
#define _GNU_SOURCE
#include "tprt/point.h"
#include "tprt/trace.h"

#include <link.h>
#include <stdio.h>
#include <unistd.h>

TPRT_POINT_USDT(test_provider, watched);

static int isOn(void) { return TPRT_POINT_ON(watched); }

// Runs with the loader's lock, for which the watching thread soon waits.
static int whileHeld(struct dl_phdr_info *info, size_t size, void *data) {
  (void)info, (void)size, (void)data;
  usleep(500000);
  printf("held: %s\n", tprt_usdt_watch(0) == TPRT_STATUS_PENDING ? "pending" : "another status");
  printf("held, again: %d\n", tprt_usdt_watch(1));
  return 1;
}

int main(void) {
  TPRT_TRACE(watched, "%d", 1);
  tprt_usdt_watch(1);
  dl_iterate_phdr(whileHeld, NULL);
  printf("released: %d\n", tprt_usdt_watch(1));
  *(volatile uint16_t *)&watched.point.semaphore = 1;
  for (int i = 0; i < 3000 && !isOn(); ++i) // 60 s, for a loaded machine
    usleep(20000);
  printf("later: on %d\n", isOn());
  int status = tprt_usdt_watch(0);
  printf("stopped: %d, on %d\n", status, isOn());
  return 0;
}
