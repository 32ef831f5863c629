// Functions that were compiled without a sled are probed at their entries and at their ends: each call is one hit,
// results stay the same, and a detach restores the code. Each function tests one form of jump, or one kind of
// instruction that the jump displaces. In the second run, the jump may need the instruction's first byte, as in an
// attach of many sites.
//
// RUN: gcc -O1 %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
// RUN: env TPRT_OPTIONS=uprobes=0 %t | FileCheck %s
// RUN: gcc -O1 -no-pie %s %tprt_flags -o %t.fixed
// RUN: %t.fixed | FileCheck %s
//
// CHECK: jump: 100 entries, 100 exits, 0 tail exits; results right; code restored
// CHECK-NEXT: hop: 100 entries, 100 exits, 0 tail exits; results right; code restored
// CHECK-NEXT: hop_odd: 100 entries, 100 exits, 0 tail exits; results right; code restored
// CHECK-NEXT: bare_jump: 100 entries, 100 exits, 0 tail exits; results right; code restored
// CHECK-NEXT: bare_hop: 100 entries, 100 exits, 0 tail exits; results right; code restored
// CHECK-NEXT: pun: 100 entries, 100 exits, 0 tail exits; results right; code restored
// CHECK-NEXT: short_hop: 100 entries, 100 exits, 0 tail exits; results right; code restored
// CHECK-NEXT: short_pun: 100 entries, 100 exits, 0 tail exits; results right; code restored
// CHECK-NEXT: landing_pad: 100 entries, 100 exits, 0 tail exits; results right; code restored
// CHECK-NEXT: branch: 100 entries, 100 exits, 0 tail exits; results right; code restored
// CHECK-NEXT: relative: 100 entries, 100 exits, 0 tail exits; results right; code restored
// CHECK-NEXT: tail: 100 entries, 0 exits, 100 tail exits; results right; code restored
// CHECK-NEXT: behind_push: 100 entries, 100 exits, 0 tail exits; results right; code restored
// CHECK-NEXT: behind_pushes: 100 entries, 100 exits, 0 tail exits; results right; code restored
// CHECK-NEXT: behind_frame: 100 entries, 100 exits, 0 tail exits; results right; code restored
#include "../Inputs/harness.h"
#include "Inputs/means.h"
#include <string.h>

static int hits[4];

static void on(const tprt_event *event, const tprt_regs *regs, void *data) {
  (void)regs, (void)data;
  ++hits[event->kind];
}

static int callMany(long (*function)(long)) {
  int wrong = 0;
  for (long i = 0; i < 100; ++i)
    wrong += function(i) != i + 1;
  return wrong;
}

// `called` calls the function of that name, if that is a different function.
static void probe(const char *name, long (*function)(long), long (*called)(long)) {
  unsigned char before[32], after[32];
  memcpy(before, (const void *)function, sizeof before);
  tprt_selector selector = {.function = name, .kinds = TPRT_KIND_SET_ALL, .flags = TPRT_SELECT_CODE,
                            .module = "*/functions-without-sleds*"};
  tprt_probe *probe = attachSelected(selector, (tprt_action){.kind = TPRT_ACTION_CALL, .handler = on});
  int changed = memcmp(before, (const void *)function, sizeof before) != 0;
  memset(hits, 0, sizeof hits);
  int wrong = callMany(called);
  int seen[3] = {hits[0], hits[1], hits[2]};
  tprt_probe_detach(probe, -1);
  wrong += callMany(called);
  memcpy(after, (const void *)function, sizeof after);
  printf("%s: %d entries, %d exits, %d tail exits; results %s; code %s\n", name, seen[0], seen[1], seen[2],
         wrong ? "wrong" : "right", changed && hits[0] == seen[0] ? "restored" : "not changed, or hit after the detach");
  // Slots and dead bytes stay unchanged; the instructions change.
  if (memcmp(before, after, 5) != 0)
    puts("the first bytes are others");
}

int main(void) {
  static const char *const names[] = {MEANS};
  static long (*const functions[])(long) = {jump, hop, hop_odd, bare_jump, bare_hop, pun, short_hop, short_pun, landing_pad, branch, relative, tail, behind_push, behind_pushes, behind_frame};
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
    probe(names[i], functions[i], functions[i] == branch ? call_branch : functions[i]);
  return 0;
}
