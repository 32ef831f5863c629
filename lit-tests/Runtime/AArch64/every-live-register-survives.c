// Around handlers that overwrite every register they may, all that is live at an
// entry, an exit and a tail call comes through: general registers, flags, q, z, p
// and ffr, also in streaming mode; and once detached nothing is hit.
//
// RUN: aarch64-linux-gnu-gcc -c %S/Inputs/caller.S -o %t.caller.o
// RUN: aarch64-linux-gnu-gcc -c %S/Inputs/sleds.S -o %t.sleds.o
// RUN: %plain_clang -O1 -I %S/Inputs %s %t.caller.o %t.sleds.o %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: kind 0: 128 sites, hits 160 64 32, counted 0, faults 0
// CHECK-NEXT: off: 0
// CHECK-NEXT: kind 1: 128 sites, hits 160 64 32, counted 0, faults 0
// CHECK-NEXT: off: 0
// CHECK-NEXT: kind 2: 128 sites, hits 0 0 0, counted 256, faults 0
// CHECK-NEXT: off: 0
#include "checked-call.h"

static void callAll(void) {
  static uint64_t seed = 1;
  for (const struct Function *f = stress_functions; f < stress_functions_end; ++f)
    checkedCall(f, &seed);
}

int main() {
  for (int kind = 0; kind < 3; ++kind) {
    tprt_selector selector = {.function = "stress_word_*", .events = TPRT_EVENTS_ALL};
    tprt_action action = actionOf(kind);
    tprt_probe *probe;
    tprt_result result;
    if (tprt_probe_attach(&selector, &action, &probe, &result))
      return puts(tprt_last_error()), 1;
    memset(hits, 0, sizeof hits);
    callAll();
    callAll();
    printf("kind %d: %zu sites, hits %d %d %d, counted %lu, faults %d\n", kind, result.enabled, hits[0], hits[1],
           hits[2], (unsigned long)tprt_probe_count(probe), faults);
    tprt_probe_detach(probe, -1);
    memset(hits, 0, sizeof hits);
    callAll();
    printf("off: %d\n", hits[0] + hits[1] + hits[2]);
  }
}
