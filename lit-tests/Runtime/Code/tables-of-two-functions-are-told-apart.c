// Tables of switches are adjacent, and their lengths are not stored. Only such a table leads to parts that llvm-bolt moved
// away. If this fails, the rows after a function's table count as its own. Then the returns of the next function's parts
// belong to this function, and jumps to these parts count as exits. llvm-bolt leaves an older, unused copy of the second
// function before the new one. The same fault occurs if libtprt assigns the table to that copy.
//
// REQUIRES: bolt, x86_64-host
// RUN: gcc -O2 -fno-pie -no-pie %s %tprt_flags -Wl,-q,-z,now -o %t
// RUN: llvm-bolt %t -o %t.split -split-functions -split-strategy=all > %t.log 2>&1
// RUN: %t.split | FileCheck %s
//
// CHECK: first: 200 entries, 200 exits
// CHECK-NEXT: second: 200 entries, 200 exits
// CHECK-NEXT: third: 200 entries, 200 exits
#include "../Inputs/harness.h"
#include <string.h>

#define FUNCTION(name, a, b, c, d)                                                                                               \
  __attribute__((noipa)) long name(long x, int k) {                                                                              \
    volatile long kept[6] = {x, k, x + k, 4, 5, 6};                                                                              \
    switch (k) {                                                                                                                 \
    case 0:                                                                                                                      \
      return x * a;                                                                                                              \
    case 1:                                                                                                                      \
      kept[1] += b;                                                                                                              \
      if (x & 1)                                                                                                                 \
        return kept[0];                                                                                                          \
      break;                                                                                                                     \
    case 2:                                                                                                                      \
      kept[3] ^= c;                                                                                                              \
      break;                                                                                                                     \
    case 3:                                                                                                                      \
      if (x & 2)                                                                                                                 \
        kept[4] = d;                                                                                                             \
      return kept[4] * a;                                                                                                        \
    case 4:                                                                                                                      \
      kept[5] -= a;                                                                                                              \
      break;                                                                                                                     \
    case 5:                                                                                                                      \
      return kept[2] - d;                                                                                                        \
    }                                                                                                                            \
    return kept[0] + kept[1] + kept[2] * b + kept[3] + kept[4] + kept[5];                                                        \
  }
FUNCTION(first, 3, 5, 7, 11)
FUNCTION(second, 13, 17, 19, 23)
FUNCTION(third, 29, 31, 37, 41)

static int hits[2];
static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) {
  (void)regs, (void)data;
  ++hits[event->kind != TPRT_KIND_ENTRY];
}

int main(void) {
  static const char *const names[] = {"first", "second", "third"};
  volatile long sum = 0;
  for (int i = 0; i < 3; ++i) {
    tprt_selector selector = {.function = names[i], .module = "*tables-of-two*", .kinds = TPRT_KIND_SET_ALL, .flags = TPRT_SELECT_CODE | TPRT_SELECT_TRAPS};
    tprt_action action = {.handler = onHit};
    tprt_probe *probe = NULL;
    tprt_probe_attach(&selector, &action, &probe, NULL);
    memset(hits, 0, sizeof hits);
    for (int k = 0; k < 200; ++k)
      sum += first(k, k % 7) + second(k, k % 7) + third(k, k % 7);
    printf("%s: %d entries, %d exits\n", names[i], hits[0], hits[1]);
    tprt_probe_detach(probe, -1);
  }
  return 0;
}
