// If this fails, a sled is led to a slot that another patcher has written to
// since it was last in use.
//
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: it was done: e9
// CHECK-NEXT: every matching site was refused: 66
// CHECK-NEXT: the bytes there are not those of the table
#include "tprt/tprt.h"
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>

__attribute__((noinline)) void f(void) { __asm__ volatile(""); }
static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) {}

int main() {
  tprt_selector selector = {.function = "f"};
  tprt_action action = {.handler = onHit};
  tprt_probe *probe;
  unsigned char *code = (unsigned char *)f;
  tprt_status status = tprt_probe_attach(&selector, &action, &probe, NULL);
  unsigned char *slot = code + 2 + (signed char)code[1];
  printf("%s: %02x\n", tprt_status_string(status), *slot);
  tprt_probe_detach(probe, -1);
  mprotect((void *)((uintptr_t)slot & ~4095ul), 8192, PROT_READ | PROT_WRITE | PROT_EXEC);
  *slot = 0xea;
  tprt_result result;
  status = tprt_probe_attach(&selector, &action, &probe, &result);
  printf("%s: %02x\n", tprt_status_string(status), *code);
  puts(tprt_refusal_string(result.first_refusal));
}
