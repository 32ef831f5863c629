// If this fails, a sled is made to jump to a slot that another patcher has written to since
// the slot was last used.
//
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: it was done: e9 e9 e9
// CHECK-NEXT: some sites were refused, the others are on: 2 of 3
// CHECK-NEXT: the bytes there are not those of the table
#include "tprt/tprt.h"
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>

__attribute__((noinline)) void f_1(void) { __asm__ volatile("# 1"); }
__attribute__((noinline)) void f_2(void) { __asm__ volatile("# 2"); }
__attribute__((noinline)) void f_3(void) { __asm__ volatile("# 3"); }
static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) {}

int main() {
  tprt_selector selector = {.function = "f_*"};
  tprt_action action = {.handler = onHit};
  tprt_probe *probe;
  tprt_result result;
  tprt_status status = tprt_probe_attach(&selector, &action, &probe, NULL);
  unsigned char *codes[] = {(unsigned char *)f_1, (unsigned char *)f_2, (unsigned char *)f_3}, *slots[3];
  for (int i = 0; i < 3; ++i)
    slots[i] = codes[i] + 2 + (signed char)codes[i][1];
  printf("%s: %02x %02x %02x\n", tprt_status_string(status), *slots[0], *slots[1], *slots[2]);
  tprt_probe_detach(probe, -1);
  mprotect((void *)((uintptr_t)slots[0] & ~4095ul), 8192, PROT_READ | PROT_WRITE | PROT_EXEC);
  *slots[1] = 0xea;  // an instruction that does not exist
  slots[2][1] ^= 64; // a jump to somewhere else
  status = tprt_probe_attach(&selector, &action, &probe, &result);
  printf("%s: %zu of %zu\n", tprt_status_string(status), result.refused, result.matched);
  puts(tprt_refusal_string(result.first_refusal));
}
