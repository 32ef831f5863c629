// If this fails, static branches cannot be flipped through /proc/self/mem. When a counting static
// branch is opened that way, it changes from one jump to another in several steps.
//
// REQUIRES: mdwe
// RUN: %plain_clang -O2 -I %S/Inputs %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: counting: it was done, 3
// CHECK: called: it was done, 2 hits, 5
// CHECK: counting again: 2 hits, 6
// CHECK: off: 2 hits
#include "point.h"
#include "tprt/tprt.h"

#include <stdio.h>
#include <sys/prctl.h>

__attribute__((noinline)) void work(uint64_t x) { POINT(work, "%lu %lu", x, x); }

static int hits;
static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) { ++hits; }
static tprt_selector selector = {.kinds = TPRT_KIND_SET_POINT};
static tprt_action call = {.handler = onHit}, count = {.kind = TPRT_ACTION_COUNT};

static void run(int times) {
  for (int i = 0; i < times; ++i)
    work(i);
}

int main(void) {
  if (prctl(65 /* PR_SET_MDWE */, 1 /* PR_MDWE_REFUSE_EXEC_GAIN */, 0, 0, 0))
    return perror("PR_SET_MDWE"), 1;
  tprt_probe *counting, *calling;
  tprt_status status = tprt_probe_attach(&selector, &count, &counting, NULL);
  run(3);
  printf("counting: %s, %d\n", tprt_status_string(status), (int)tprt_probe_count(counting));
  status = tprt_probe_attach(&selector, &call, &calling, NULL);
  run(2);
  printf("called: %s, %d hits, %d\n", tprt_status_string(status), hits, (int)tprt_probe_count(counting));
  tprt_probe_detach(calling, -1);
  run(1);
  printf("counting again: %d hits, %d\n", hits, (int)tprt_probe_count(counting));
  tprt_probe_detach(counting, -1);
  run(4);
  printf("off: %d hits\n", hits);
  return 0;
}
