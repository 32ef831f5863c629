// A uprobe (perf, bpftrace) is set at the instruction of a site without a sled. If the uprobe was set first, the
// site is refused while the uprobe is set. If the uprobe was set while a probe was on and stays until the detach,
// the instruction must be complete when the uprobe is removed: the kernel restores only the first byte of the
// file.
//
// REQUIRES: uprobes
// RUN: gcc -O1 %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: jump: refused with 1 uprobe hit, then on with 1 hit; on, off with 1 uprobe hit, then on with 1 hit
// CHECK-NEXT: hop: refused with 1 uprobe hit, then on with 1 hit; on, off with 1 uprobe hit, then on with 1 hit
// CHECK-NEXT: hop_odd: refused with 1 uprobe hit, then on with 1 hit; on, off with 1 uprobe hit, then on with 1 hit
// CHECK-NEXT: pun: refused with 1 uprobe hit, then on with 1 hit; on, off with 1 uprobe hit, then on with 1 hit
// CHECK-NEXT: relative: refused with 1 uprobe hit, then on with 1 hit; on, off with 1 uprobe hit, then on with 1 hit
// CHECK-NEXT: 0 wrong results
#include "../Inputs/harness.h"
#include "../Inputs/uprobe.h"
#include "Inputs/means.h"

static long wrong, hits;

static tprt_probe *attachTo(const char *name) {
  tprt_selector selector = {.function = name, .module = "*/uprobes-at-probed*", .flags = TPRT_SELECT_CODE | TPRT_SELECT_LOADED};
  tprt_action action = {.kind = TPRT_ACTION_COUNT};
  tprt_probe *probe = NULL;
  tprt_status status = tprt_probe_attach(&selector, &action, &probe, NULL);
  printf("%s", status == TPRT_STATUS_OK ? "on" : status == TPRT_STATUS_REFUSED ? "refused" : tprt_error_string());
  return probe;
}

static void detachFrom(tprt_probe *probe) {
  hits = probe ? (long)tprt_probe_count(probe) : 0;
  if (probe)
    tprt_probe_detach(probe, -1);
}

static void endUprobe(int event) {
  uint64_t count = 0;
  if (read(event, &count, sizeof count) != sizeof count)
    ++wrong;
  close(event);
  printf(" with %d uprobe hit, then ", (int)count);
}

static void run(const char *name, long (*function)(long)) {
  printf("%s: ", name);
  int event = openUprobe(function);
  detachFrom(attachTo(name));
  wrong += function(1) != 2;
  endUprobe(event);
  wrong += function(2) != 3;
  tprt_probe *probe = attachTo(name);
  wrong += function(3) != 4;
  detachFrom(probe);
  printf(" with %ld hit; ", hits);
  probe = attachTo(name);
  event = openUprobe(function);
  detachFrom(probe);
  printf(", off");
  wrong += function(4) != 5;
  endUprobe(event);
  wrong += function(5) != 6;
  probe = attachTo(name);
  wrong += function(6) != 7;
  detachFrom(probe);
  wrong += function(7) != 8;
  printf(" with %ld hit\n", hits);
}

int main(void) {
  setvbuf(stdout, NULL, _IOLBF, 0);
  run("jump", jump);
  run("hop", hop);
  run("hop_odd", hop_odd);
  run("pun", pun);
  run("relative", relative);
  printf("%ld wrong results\n", wrong);
  return 0;
}
