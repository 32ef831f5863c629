// No return address is ever changed. So an exception unwinds through probed functions,
// which may catch and rethrow it, and destructors run. A function left by an exception
// has no exit event; the catching function has its own exit event.
//
// RUN: %clangxx -O2 -fplugin-arg-tp-entry=2,0 %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
// RUN: %clangxx -O2 -fplugin-arg-tp-entry=5,0 %s %tprt_flags -o %t.long
// RUN: %t.long | FileCheck %s
//
// RUN: %clangxx -O2 -fplugin-arg-tp-entry=2,0 -fplugin-arg-tp-exit %s %tprt_flags -o %t.exits
// RUN: %t.exits | FileCheck %s --check-prefix=EXITS
//
// CHECK: 50 caught, 400 destroyed, 400 entries, 0 exits, 0 missed
// EXITS: 50 caught, 400 destroyed, 400 entries, 50 exits, 0 missed
#include "../Inputs/harness.h"
#include <cstdio>
#include <stdexcept>

static int destroyed, hits[2];
static bool swallow;
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
    if (depth == 3 && swallow)
      return;
    throw std::runtime_error("again");
  }
}
int main() {
  auto onHit = [](const tprt_event *event, const tprt_regs *, void *) { ++hits[event->kind == TPRT_KIND_EXIT]; };
  tprt_probe *probe = attach("dive*", TPRT_KIND_SET_ALL, {.handler = onHit});
  int caught = 0;
  for (int i = 0; i < 100; ++i)
    try {
      swallow = i % 2;
      dive(3);
    } catch (std::exception &) {
      ++caught;
    }
  tprt_stats stats = readStats();
  std::printf("%d caught, %d destroyed, %d entries, %d exits, %lu missed\n", caught, destroyed, hits[0], hits[1],
              (unsigned long)stats.missed);
  return tprt_probe_detach(probe, 1000);
}
