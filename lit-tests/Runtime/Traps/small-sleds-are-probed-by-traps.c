// Our sleds that have no room for a jump (one byte, or two to four bytes without a slot)
// work by traps. The test covers handlers, counts, redirection and the original, every
// n-th hit, and exits, which need no trap.
//
// REQUIRES: x86_64-host
// RUN: %clang -O2 -fplugin-arg-tp-entry=1 -fplugin-arg-tp-exit -fplugin-arg-tp-opaque %s %tprt_flags -o %t.1
// RUN: %t.1 | FileCheck %s
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 -fplugin-arg-tp-slot=none -fplugin-arg-tp-exit -fplugin-arg-tp-opaque %s %tprt_flags -o %t.2
// RUN: %t.2 | FileCheck %s
// RUN: %clang -O2 -fplugin-arg-tp-entry=4,0 -fplugin-arg-tp-slot=none -fplugin-arg-tp-exit -fplugin-arg-tp-opaque %s %tprt_flags -o %t.4
// RUN: %t.4 | FileCheck %s
//
// CHECK: without: some sites were refused, the others are on
// CHECK-NEXT: {{.*}} the first twice ({{.*}}): the sled has no room for a jump; {{.*}} or ask for traps (tpctl --traps, TPRT_OPTIONS=traps=1, TPRT_SELECT_TRAPS)
// CHECK-NEXT: with: 42, 1 entries, 1 exits, 1 counted
// CHECK-NEXT: changed: 20
// CHECK-NEXT: replaced: 1043
// CHECK-NEXT: after: 42, 1 entries, 1 exits
#include "../Inputs/harness.h"

static long entries, exits;
static const tprt_site *entry;
__attribute__((noinline)) int twice(int x) {
  __asm__ volatile("");
  return 2 * x;
}
#define PLAIN __attribute__((tp_never))
PLAIN static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) {
  ++*(event->kind == TPRT_KIND_ENTRY ? &entries : &exits);
  if (event->kind == TPRT_KIND_ENTRY)
    entry = event->site;
}
PLAIN static void onEntry(const tprt_event *event, const tprt_regs *regs, void *data) {
  tprt_regs_change(event, regs)->rdi = 10;
}
PLAIN static int more(int x) { return ((int (*)(int))tprt_site_original(entry))(x) + 1001; }
PLAIN static tprt_probe *attachTraps(tprt_action action, uint32_t events) {
  tprt_selector selector = {.function = "twice", .kinds = events, .flags = TPRT_SELECT_TRAPS};
  return attachSelected(selector, action);
}

PLAIN int main() {
  tprt_action call = {.handler = onHit}, count = {.kind = TPRT_ACTION_COUNT};
  tprt_selector selector = {.function = "twice", .kinds = TPRT_KIND_SET_ALL};
  tprt_probe *probe, *counter;
  printf("without: %s\n", tprt_status_string(tprt_probe_attach(&selector, &call, &probe, NULL)));
  puts(tprt_error_string());
  tprt_probe_detach(probe, -1);
  counter = attachTraps(count, 0);
  probe = attachTraps(call, TPRT_KIND_SET_ALL);
  int result = twice(21);
  printf("with: %d, %ld entries, %ld exits, %d counted\n", result, entries, exits, (int)tprt_probe_count(counter));
  tprt_probe_detach(probe, -1);
  tprt_probe_detach(counter, -1);
  probe = attachTraps((tprt_action){.handler = onEntry, .flags = TPRT_HANDLER_CHANGES_REGS}, 0);
  printf("changed: %d\n", twice(21));
  tprt_probe_detach(probe, -1);
  probe = attachTraps((tprt_action){.kind = TPRT_ACTION_REDIRECT, .replacement = (void *)more}, 0);
  printf("replaced: %d\n", twice(21));
  tprt_probe_detach(probe, -1);
  result = twice(21);
  printf("after: %d, %ld entries, %ld exits\n", result, entries, exits);
}
