// If this fails, a wrong table of points disables the module's sleds, too, or is
// accepted.
//
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 -I %S/Inputs %s %tprt_flags -o %t
// RUN: %t | FileCheck %s --check-prefix=GOOD
// RUN: llvm-objcopy --dump-section tp_points=%t.table %t %t.copy
// RUN: %python -c "t = open(r'%t.table', 'rb').read(); open(r'%t.far', 'wb').write(t[:12] + bytes([0, 0, 0, 0x7f]))"
// RUN: llvm-objcopy --update-section tp_points=%t.far %t %t.sled
// RUN: %t.sled 2>&1 | FileCheck %s --check-prefixes=SLED,BAD
// RUN: %python -c "t = open(r'%t.table', 'rb').read(); open(r'%t.gate', 'wb').write(t[:4] + bytes([0, 0, 0, 0x7f]) + t[8:])"
// RUN: llvm-objcopy --update-section tp_points=%t.gate %t %t.gates
// RUN: %t.gates 2>&1 | FileCheck %s --check-prefixes=GATE,BAD
//
// GOOD: points: it was done
// GOOD: functions: it was done
// SLED: points: a sled table contradicts {{.*}}: record 1 of its table of points points to a sled outside the module's code; its points stay off
// GATE: points: a sled table contradicts {{.*}}: record 0 of its table of points points to a static branch outside the module's code; its points stay off
// BAD: functions: it was done
#include "point.h"
#include "tprt/tprt.h"

#include <stdio.h>

__attribute__((noinline)) void work(uint64_t x) { POINT(work, "%lu %lu", x, x); }

static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) {}

static void attach(const char *what, uint32_t kinds) {
  tprt_selector selector = {.function = "work", .kinds = kinds};
  tprt_action action = {.handler = onHit};
  tprt_probe *probe;
  tprt_status status = tprt_probe_attach(&selector, &action, &probe, NULL);
  printf("%s: %s: %s\n", what, tprt_status_string(status), tprt_error_string());
}

int main(void) {
  attach("points", TPRT_KIND_SET_POINT);
  attach("functions", 0);
  work(1);
  return 0;
}
