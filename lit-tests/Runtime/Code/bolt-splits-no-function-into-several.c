// In a program without symbols, each block that llvm-bolt has split off has its own unwind entry. A switch's table leads to
// some of these blocks, which jump to others. If this fails, such a block counts as a function: calls are counted twice,
// and a hit there overwrites the function's data below its stack pointer.
//
// REQUIRES: bolt, x86_64-host
// RUN: gcc -O2 %s %tprt_flags -Wl,-q,-z,now -o %t
// RUN: llvm-bolt %t -o %t.split -split-functions -split-strategy=all > %t.log 2>&1
// RUN: %t.split | FileCheck %s
// RUN: llvm-strip %t.split -o %t.bare && %t.bare | FileCheck %s
// RUN: gcc -O2 -fno-pie -no-pie %s %tprt_flags -Wl,-q,-z,now -o %t.fixed
// RUN: llvm-bolt %t.fixed -o %t.fixed.split -split-functions -split-strategy=all >> %t.log 2>&1
// RUN: llvm-strip %t.fixed.split -o %t.fixed.bare && %t.fixed.bare | FileCheck %s --check-prefix=RIGHT
//
// CHECK: 4001 entries, 4001 exits, results right
//
// In a program for a fixed address, a switch's table looks like a table of functions. The blocks may be
// counted.
// RIGHT: results right
#include "Inputs/overwrite-below.h"

// The blocks of this function have data below the stack pointer.
__attribute__((noipa)) static long leaf(long x, int k) {
  long sum = x * 7;
  volatile long a[8];
  for (int i = 0; i < 8; ++i)
    a[i] = x + i * k;
  switch ((unsigned long)sum % 10) {
  case 0:
    a[(unsigned)k % 8] = sum;
    break;
  case 1:
    sum = 0;
    break;
  case 2:
    sum -= 19;
    break;
  case 3:
    sum = x;
    break;
  case 4:
    sum -= 67;
    break;
  case 5:
    sum += x;
    break;
  case 6:
    a[(unsigned)k % 8] -= x;
    break;
  case 7:
    return a[k % 8] + a[4];
  case 8:
    a[7] -= 90;
    break;
  case 9:
    return sum - 75 + a[0];
  }
  return sum + a[k & 7] + a[3];
}

// The blocks of this function have a frame, and make calls.
__attribute__((noipa)) static long calls(long x, int k) {
  volatile long a[20];
  for (int i = 0; i < 20; ++i)
    a[i] = x - i;
  if (k == 3)
    a[1] += 100;
  else if (k > 8)
    return a[k] + leaf(x, k) * 3;
  a[k] ^= leaf(x + 1, k);
  return a[1] + a[k] + a[19];
}

static long all(void) {
  long sum = 0;
  for (int i = 0; i < 2000; ++i)
    sum = sum * 31 + calls(i, i % 12);
  return sum;
}

int main(void) {
  long plain = all();
  tprt_selector selector = {.function = "*", .module = "*bolt-splits-no*", .kinds = TPRT_KIND_SET_ALL, .flags = TPRT_SELECT_CODE | TPRT_SELECT_TRAPS};
  tprt_action action = {.handler = overwriteBelow};
  tprt_probe *probe = NULL;
  tprt_probe_attach(&selector, &action, &probe, NULL);
  long now = all();
  tprt_probe_detach(probe, -1);
  printf("%d entries, %d exits, results %s\n", hits[0], hits[1], now == plain ? "right" : "wrong");
  return 0;
}
