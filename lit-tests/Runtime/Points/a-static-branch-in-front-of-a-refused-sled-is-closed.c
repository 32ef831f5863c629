// If this fails, the static branch of a point whose sled was refused stays open, and each hit
// evaluates the arguments for nothing.
//
// REQUIRES: x86_64-host
// RUN: %plain_clang -O2 -I %S/Inputs %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: on: 1 evaluated
// CHECK: off: 0 evaluated
// CHECK: refused: every matching site was refused: {{.*}}the bytes there are not those of the table
// CHECK: refused: 0 evaluated
// CHECK: on again: 1 evaluated
#include "point.h"
#include "tprt/tprt.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

static int evaluated;
static uint64_t seen(uint64_t x) { return ++evaluated, x; }

__attribute__((noinline)) void work(uint64_t x) { POINT(work, "%lu %lu", x, seen(x)); }

static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) {}
static tprt_selector selector = {.kinds = TPRT_KIND_SET_POINT};
static tprt_action call = {.handler = onHit};

static void tell(const char *when) {
  evaluated = 0;
  work(1);
  printf("%s: %d evaluated\n", when, evaluated);
}

static void put(const void *sled, unsigned char byte) {
  int file = open("/proc/self/mem", O_RDWR);
  if (pwrite(file, &byte, 1, (off_t)(uintptr_t)sled) != 1)
    perror("/proc/self/mem");
  close(file);
}

int main(void) {
  tprt_probe *probe;
  /* From the first attach on, static branch and sled need no preparation. */
  tprt_probe_attach(&selector, &call, &probe, NULL);
  tell("on");
  tprt_probe_detach(probe, -1);
  tell("off");
  extern const struct tprt_branch_record gate[] __asm__("__start_tp_points") __attribute__((visibility("hidden")));
  const struct tprt_point_sled_record *point = (const struct tprt_point_sled_record *)&gate[1];
  const char *sled = (const char *)&point->sled + point->sled;
  put(sled, 0xcc);
  tprt_status status = tprt_probe_attach(&selector, &call, &probe, NULL);
  printf("refused: %s: %s\n", tprt_status_string(status), tprt_error_string());
  tell("refused");
  put(sled, 0x0f);
  tprt_probe_attach(&selector, &call, &probe, NULL);
  tell("on again");
  return 0;
}
