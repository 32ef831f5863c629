// A probe is detached while a uprobe is at its instruction, and the uprobe is removed later. If this fails, libtprt
// reports that instructions stay flipped although only their first byte was changed, which the removal of the
// uprobe restores.
//
// REQUIRES: uprobes
// RUN: gcc -O1 %s %tprt_flags -o %t
// RUN: env TPRT_OPTIONS=verbose=1 %t 2>&1 | FileCheck %s --implicit-check-not=tprt:
// RUN: env TPRT_OPTIONS=verbose=1,uprobes=0 %t 2>&1 | FileCheck %s --implicit-check-not=tprt:
//
// CHECK: bare_jump: a uprobe is there, then the function's own bytes, 0 wrong results
// CHECK-NEXT: bare_hop: a uprobe is there, then the function's own bytes, 0 wrong results
// CHECK-NEXT: hop: a uprobe is there, then the function's own bytes, 0 wrong results
// CHECK-NEXT: pun: a uprobe is there, then the function's own bytes, 0 wrong results
#include "../Inputs/harness.h"
#include "../Inputs/uprobe.h"
#include "Inputs/means.h"

static void probe(const char *name, long (*function)(long)) {
  unsigned char before[5];
  const volatile unsigned char *now = (const void *)function;
  memcpy(before, (const void *)function, sizeof before);
  tprt_selector selector = {.function = name, .module = "*/probes-go-in-silence*", .flags = TPRT_SELECT_CODE | TPRT_SELECT_LOADED};
  tprt_probe *probe = attachSelected(selector, (tprt_action){.kind = TPRT_ACTION_COUNT});
  int event = openUprobe((const void *)function), isThere = now[0] == 0xcc, wrong = function(4) != 5;
  detach(probe, -1);
  wrong += function(4) != 5;
  close(event);
  wrong += function(4) != 5;
  printf("%s: %s uprobe is there, then %s bytes, %d wrong results\n", name, isThere ? "a" : "no",
         memcmp(before, (const void *)function, sizeof before) == 0 ? "the function's own" : "other", wrong);
}

int main(void) {
  probe("bare_jump", bare_jump);
  probe("bare_hop", bare_hop);
  probe("hop", hop);
  probe("pun", pun);
  return 0;
}
