// With -fbasic-block-sections each block of a function has an unwind entry, and jumps lead from block to block. If this
// fails, such a jump counts as an exit, and a handler there overwrites the function's data below its stack pointer.
//
// REQUIRES: x86_64-host
// RUN: %clang -O2 -fbasic-block-sections=all %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
// RUN: %clang -O2 -fno-pie -no-pie -fbasic-block-sections=all %s %tprt_flags -o %t.fixed && %t.fixed | FileCheck %s
// RUN: strip -o %t.bare %t && %t.bare | FileCheck %s
//
// CHECK: entries 2000, exits 2000, results right
#include "Inputs/overwrite-below.h"

__attribute__((noinline)) long leaf(long x, int k) {
  volatile long a[8]; // below the stack pointer
  for (int i = 0; i < 8; i++)
    a[i] = x + i;
  if (__builtin_expect(k == 3, 0)) {
    a[1] += 100;
    if (x & 2)
      a[2] -= 5;
    else
      a[4] *= 7;
  }
  long s = 0;
  for (int i = 0; i < 8; i++)
    if (k & (1 << (i & 3)))
      s += a[i] * i;
    else
      s ^= a[7 - i];
  switch (k) { // Only the switch's table leads to these blocks.
  case 0:
    s += a[3];
    break;
  case 1:
    s -= a[2];
    break;
  case 2:
    s ^= a[1] * 3;
    break;
  case 4:
    s = ~s;
    break;
  case 5:
    s *= a[6];
    break;
  case 6:
    s += 12;
  }
  return s + a[1];
}

static unsigned long all(void) {
  unsigned long sum = 0;
  for (int i = 0; i < 2000; i++)
    sum = sum * 31 + (unsigned long)leaf(i, i % 8);
  return sum;
}

int main(void) {
  unsigned long plain = all();
  tprt_selector selector = {
      .address = (void *)leaf, .kinds = TPRT_KIND_SET_ALL, .flags = TPRT_SELECT_CODE | TPRT_SELECT_TRAPS};
  tprt_action action = {.handler = overwriteBelow};
  tprt_probe *probe = NULL;
  if (tprt_probe_attach(&selector, &action, &probe, NULL) != TPRT_STATUS_OK)
    printf("%s\n", tprt_error_string());
  unsigned long now = all();
  printf("entries %d, exits %d, results %s\n", hits[0], hits[1], now == plain ? "right" : "wrong");
  return 0;
}
