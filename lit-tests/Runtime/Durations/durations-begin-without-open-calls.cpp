// A duration probe is attached inside a call and gets the slot of an earlier probe, which saw the
// call's entry. The new probe must not report the call or count it as open. If this fails, the new
// probe mistakes the earlier probe's open calls for its own.
//
// RUN: %tp_clangxx -O2 -ftp-entry=2,0 -ftp-exit %s %tprt_flags -o %t
// RUN: %run %t | FileCheck %s
//
// CHECK:      depth 1
// CHECK-NEXT: depth 0
// CHECK-NEXT: quick
// CHECK-NEXT: detached 0
#include "tprt/duration.h"
#include <cstdio>

static tprt_duration_probe *Durations;
static void attach() {
  tprt_selector Traced = {.function = "[qs]*"};
  auto Tell = [](const tprt_duration *, void *Name) { std::puts(static_cast<char *>(Name)); };
  static char Slow[] = "slow", Quick[] = "quick";
  if (tprt_duration_probe_attach(&Traced, Tell, Durations ? Quick : Slow, 0, &Durations, nullptr))
    std::puts(tprt_error_string());
}
static void printDepth() { std::printf("depth %u\n", tprt_duration_probe_depth(Durations)); }
extern "C" __attribute__((noinline)) void quick() { __asm__ volatile(""); }
extern "C" __attribute__((noinline)) void slow() {
  printDepth();
  tprt_duration_probe *Old = Durations;
  if (tprt_duration_probe_detach(Old, -1) == TPRT_STATUS_OK)
    attach();
  printDepth();
}

int main() {
  attach();
  slow();
  quick();
  std::printf("detached %d\n", tprt_duration_probe_detach(Durations, -1));
}
