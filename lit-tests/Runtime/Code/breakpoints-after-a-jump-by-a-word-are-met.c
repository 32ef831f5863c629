// In a program below 2 GB a jump may lead through a word whose address ends in bytes of the next instructions. A debugger
// sets breakpoints at these instructions while the probe is on. The jump then leads through another word. The thread must
// still be counted, and must meet the breakpoint. A breakpoint that was there before the attach is met as well. If the
// program has changed the bytes in which the jump would end, no jump is made. The word lies below the program: its
// address is a sum modulo 2^32.
//
// RUN: gcc -O1 -no-pie %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: 67 ff 25 8d 97
// CHECK-NEXT: none: 42, stops 0, hits 1
// CHECK-NEXT: at the second instruction: 42, stops 1, hits 2
// CHECK-NEXT: none again: 42, stops 0, hits 3
// CHECK-NEXT: detached while one is there: 48 89 f8 cc 97
// CHECK-NEXT: attached while one is there: 42, stops 1, hits 1
// CHECK-NEXT: without one: 42, stops 0, hits 2
// CHECK-NEXT: what follows has changed: 42, enabled 0
#define _GNU_SOURCE
#include "Inputs/own-breakpoints.h"

__asm__(".text\n.skip 64, 0x50\n.p2align 4\n.type tested, @function\ntested: .cfi_startproc\nmovq %rdi, %rax\n"
        "leal 0x1234ffe0(%rdi), %edx\nret\n.skip 3, 0x50\n.cfi_endproc\n.size tested, . - tested\n.skip 64, 0x50\n");

int main(void) {
  tprt_selector selector = {.function = "tested", .kinds = TPRT_KIND_SET_ENTRY, .module = "*/breakpoints-after*",
                            .flags = TPRT_SELECT_CODE | TPRT_SELECT_LOADED};
  tprt_action count = {.kind = TPRT_ACTION_COUNT};
  tprt_probe *probe = attachSelected(selector, count);
  beginBreakpoints();
  showBytes();
  callWith("none", 0, 0, probe);
  callWith("at the second instruction", 3, 0, probe);
  callWith("none again", 0, 0, probe);
  setBreakpoint(3);
  tprt_probe_detach(probe, -1);
  printf("detached while one is there: ");
  showBytes();
  probe = attachSelected(selector, count);
  callWith("attached while one is there", 3, 0, probe);
  callWith("without one", 0, 0, probe);
  tprt_probe_detach(probe, -1);
  kCode[6] ^= 1; // of the immediate of leal
  tprt_result result = {0};
  tprt_probe_attach(&selector, &count, &probe, &result);
  printf("what follows has changed: %ld, enabled %d\n", tested(42), (int)result.enabled);
  return 0;
}
