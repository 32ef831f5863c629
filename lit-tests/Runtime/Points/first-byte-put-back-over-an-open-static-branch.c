// A uprobe or a breakpoint is set on an open static branch and removed. If this fails, the
// remaining bytes are not a nop, or the static branch cannot be opened and closed
// afterwards.
//
// REQUIRES: x86_64-host
// RUN: %plain_clang -O2 -I %S/Inputs %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: on: e9 1f 44, 1 hits
// CHECK: given back: 0f 1f 44, 0 hits
// CHECK: attached again: e9 1f 44, 2 hits
// CHECK: given back while it counts: 0f 1f 44, 0 hits
// CHECK: detached: 0f 1f 44, 0 hits
// CHECK: a breakpoint: every matching site was refused: {{.*}}the bytes there are not those of the table
#include "point.h"
#include "tprt/tprt.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

extern const struct tprt_branch_record branches[] __asm__("__start_tp_points") __attribute__((visibility("hidden")));

__attribute__((noinline)) void work(uint64_t x) { POINT(work, "%lu %lu", x, x); }

static int hits;
static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) { ++hits; }
static tprt_selector selector = {.kinds = TPRT_KIND_SET_POINT};
static tprt_action call = {.handler = onHit}, count = {.kind = TPRT_ACTION_COUNT};

static unsigned char *branch(void) { return (unsigned char *)((uintptr_t)&branches->branch + branches->branch); }
static void put(unsigned char byte) {
  int file = open("/proc/self/mem", O_RDWR);
  if (pwrite(file, &byte, 1, (off_t)(uintptr_t)branch()) != 1)
    perror("/proc/self/mem");
  close(file);
}
static void tell(const char *when) {
  hits = 0;
  work(1);
  unsigned char now[3];
  memcpy(now, branch(), sizeof now);
  printf("%s: %02x %02x %02x, %d hits\n", when, now[0], now[1], now[2], hits);
}

int main(void) {
  tprt_probe *first, *second, *third;
  tprt_probe_attach(&selector, &call, &first, NULL);
  tell("on");
  put(0x0f);
  tell("given back");
  tprt_probe_attach(&selector, &call, &second, NULL);
  tell("attached again");
  tprt_probe_detach(first, -1);
  tprt_probe_detach(second, -1);
  tprt_probe_attach(&selector, &count, &third, NULL);
  put(0x0f);
  tell("given back while it counts");
  tprt_probe_detach(third, -1);
  tell("detached");
  put(0xcc);
  tprt_status status = tprt_probe_attach(&selector, &call, &first, NULL);
  printf("a breakpoint: %s: %s\n", tprt_status_string(status), tprt_error_string());
  return 0;
}
