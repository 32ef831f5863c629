// GCC's five nops of one byte (-fpatchable-function-entry=5) are five instructions, so only one of them may
// change: e9 in place of the first makes a jump whose distance is the other four. That jump leads 1.74 GiB
// down, where a position-independent program has room for an island. No trap is needed, and no other byte
// changes.
//
// REQUIRES: x86_64-host
// RUN: gcc -O2 -fPIE -pie -fcf-protection=none -fpatchable-function-entry=5 %s %tprt_flags -o %t && %t | FileCheck %s
//
// CHECK: 90 90 90 90 90
// CHECK-NEXT: e9 90 90 90 90
// CHECK-NEXT: 42, 1 hit of 21
// CHECK-NEXT: 90 90 90 90 90
// CHECK-NEXT: 44, 1 hit
#include "../Inputs/harness.h"

__attribute__((noinline)) int twice(int x) {
  __asm__ volatile("");
  return 2 * x;
}

static int hits;
static long seen;

static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) {
  (void)event, (void)data;
  ++hits;
  seen = (int)tprt_regs_argument(regs, 0);
}

// No instruction may have the address of a byte inside the function: that would look like data in the code.
static int (*volatile address)(int) = twice;
static void print(void) {
  const unsigned char *bytes = (const unsigned char *)address;
  printf("%02x %02x %02x %02x %02x\n", bytes[0], bytes[1], bytes[2], bytes[3], bytes[4]);
}

int main(void) {
  print();
  tprt_selector selector = {.function = "twice", .kinds = TPRT_KIND_SET_ENTRY, .flags = TPRT_SELECT_CODE};
  tprt_probe *probe = attachSelected(selector, (tprt_action){.handler = onHit});
  print();
  int result = twice(21);
  printf("%d, %d hit of %ld\n", result, hits, seen);
  tprt_probe_detach(probe, -1);
  print();
  result = twice(22);
  printf("%d, %d hit\n", result, hits);
  return 0;
}
