// No return address is ever changed, so an exception unwinds through functions
// that are probed, caught or rethrown on the way, and destructors run.
//
// RUN: %clangxx -O2 -fplugin-arg-tp-entry=2,0 %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
// RUN: %clangxx -O2 -fplugin-arg-tp-entry=5,0 %s %tprt_flags -o %t.long
// RUN: %t.long | FileCheck %s
//
// CHECK: 100 caught, 400 destroyed, 400 hits, 0 missed
#include "tprt/tprt.h"
#include <cstdio>
#include <stdexcept>

static int destroyed, hits;
struct Local {
  ~Local() { ++destroyed; }
};
__attribute__((noinline)) void dive(int depth) {
  Local local;
  if (depth == 0)
    throw std::runtime_error("bottom");
  try {
    dive(depth - 1);
  } catch (std::runtime_error &) {
    if (depth == 2)
      throw;
    throw std::runtime_error("again");
  }
}
int main() {
  tprt_selector selector{};
  selector.function = "dive*";
  selector.events = 1 << TPRT_RECORD_ENTRY;
  tprt_action action{};
  action.handler = [](const tprt_event *, const tprt_regs *, void *) { ++hits; };
  tprt_probe *probe;
  if (tprt_probe_attach(&selector, &action, &probe, nullptr) != TPRT_STATUS_OK)
    return std::puts(tprt_last_error()), 1;
  int caught = 0;
  for (int i = 0; i < 100; ++i)
    try {
      dive(3);
    } catch (std::exception &) {
      ++caught;
    }
  tprt_stats stats;
  tprt_stats_read(&stats);
  std::printf("%d caught, %d destroyed, %d hits, %lu missed\n", caught, destroyed, hits, (unsigned long)stats.missed);
  return tprt_probe_detach(probe, 1000);
}
