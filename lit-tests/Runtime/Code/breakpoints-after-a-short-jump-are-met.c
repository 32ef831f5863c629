// An instruction may get a short jump because the target address of its long jump is in use. If the stub was made
// earlier, together with another function's stub, the copy of the instruction was made for the long jump. Threads must
// meet a breakpoint at the next instruction nevertheless, and must be counted.
//
// RUN: gcc -O1 -fPIE -pie %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
// RUN: env TPRT_OPTIONS=uprobes=0 %t | FileCheck %s
//
// CHECK: eb
// CHECK-NEXT: none: 42, stops 0, hits 1
// CHECK-NEXT: at the second instruction: 42, stops 1, hits 2
// CHECK-NEXT: at the third: 42, stops 1, hits 3
// CHECK-NEXT: called as well: 42, stops 1, hits 4
// CHECK-NEXT: 4 calls of a handler, 42, stops 1
// CHECK-NEXT: 89 f8 05 01 c0
#define _GNU_SOURCE
#include "Inputs/own-breakpoints.h"
#include "Inputs/means.h"
#include <string.h>

__asm__(".text\n" FUNCTION("neighbour", "8", "movl %edi, %eax\nincl %eax\nret")
        FUNCTION("tested", "8", "movl %edi, %eax\naddl $0xc001, %eax\nsubl $0xc001, %eax\nret"));
long neighbour(long);

static tprt_selector of(const char *name) {
  return (tprt_selector){.function = name, .kinds = TPRT_KIND_SET_ENTRY, .module = "*/breakpoints-after-a-short*",
                         .flags = TPRT_SELECT_CODE | TPRT_SELECT_LOADED};
}

int main(void) {
  const tprt_action count = {.kind = TPRT_ACTION_COUNT};
  int32_t distance;
  memcpy(&distance, kCode + 1, sizeof distance);
  uintptr_t page = (uintptr_t)(kCode + 5 + distance) & -(uintptr_t)sysconf(_SC_PAGESIZE);
  attachSelected(of("neighbour"), count);
  mmap((void *)page, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  tprt_probe *probe = attachSelected(of("tested"), count);
  printf("%02x\n", *kCode);
  beginBreakpoints();
  setvbuf(stdout, NULL, _IOLBF, 0);
  callWith("none", 0, 0, probe);
  callWith("at the second instruction", 2, 0, probe);
  callWith("at the third", 0, 7, probe);
  int hits = 0;
  tprt_probe *handler = attachSelected(of("tested"), (tprt_action){.handler = countHit, .data = &hits});
  callWith("called as well", 2, 0, probe);
  detach(probe, -1);
  for (int i = 0; i < 2; ++i)
    tested(1);
  stops = 0;
  setBreakpoint(2);
  long result = tested(42);
  printf("%d calls of a handler, %ld, stops %d\n", hits, result, stops);
  detach(handler, -1);
  showBytes();
  return 0;
}
