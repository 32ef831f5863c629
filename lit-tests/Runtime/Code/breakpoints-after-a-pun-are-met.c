// A debugger sets a breakpoint after an instruction that is a jump while a probe is on. If the jump ends in bytes of
// the next instructions, the breakpoint changes the jump's distance. The thread must be counted, and must meet the
// breakpoint nevertheless. gdb usually sets its breakpoint for a function at such an instruction. The same holds if
// the function is redirected and the replacement calls the original.
//
// RUN: gcc -O1 %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: e9 48 89 e5 8b
// CHECK-NEXT: none: 42, stops 0, hits 1
// CHECK-NEXT: at the second instruction: 42, stops 1, hits 2
// CHECK-NEXT: at the third: 42, stops 1, hits 3
// CHECK-NEXT: at both: 42, stops 2, hits 4
// CHECK-NEXT: as the original, without one: 42, stops 0, hits 1
// CHECK-NEXT: as the original, at the second instruction: 42, stops 1, hits 2
// CHECK-NEXT: as the original, at both: 42, stops 2, hits 3
// CHECK-NEXT: 55 48 89 e5 8b
// CHECK-NEXT: detached while one is there: 55 cc 89 e5 8b
// CHECK-NEXT: attached while one is there: 42, stops 1, hits 1
// CHECK-NEXT: without one: 42, stops 0, hits 2
#define _GNU_SOURCE
#include "Inputs/own-breakpoints.h"

int answer = 42;
__asm__(".text\n.p2align 4\n.type tested, @function\n"
        "tested: .cfi_startproc\npushq %rbp\n.cfi_def_cfa_offset 16\n.cfi_offset 6, -16\nmovq %rsp, %rbp\n"
        "movl answer(%rip), %eax\npopq %rbp\nret\n.cfi_endproc\n.size tested, . - tested\n");

static long (*original)(long);
static int calls;
static long instead(long value) {
  ++calls;
  return original(value);
}

static int find(const tprt_site *site, void *to) {
  *(const tprt_site **)to = site;
  return 1;
}

static void callOriginal(const char *name, int second, int third) {
  stops = 0;
  if (second)
    setBreakpoint(second);
  if (third)
    setBreakpoint(third);
  long result = tested(42);
  printf("as the original, %s: %ld, stops %d, hits %d\n", name, result, stops, calls);
}

int main(void) {
  tprt_selector selector = {.function = "tested", .kinds = TPRT_KIND_SET_ENTRY, .module = "*/breakpoints-after*",
                            .flags = TPRT_SELECT_CODE | TPRT_SELECT_LOADED};
  tprt_probe *probe = attachSelected(selector, (tprt_action){.kind = TPRT_ACTION_COUNT});
  showBytes();
  beginBreakpoints();
  setvbuf(stdout, NULL, _IOLBF, 0);
  callWith("none", 0, 0, probe);
  callWith("at the second instruction", 1, 0, probe);
  callWith("at the third", 0, 4, probe);
  callWith("at both", 1, 4, probe);
  detach(probe, -1);
  probe = attachSelected(selector, (tprt_action){.kind = TPRT_ACTION_REDIRECT, .replacement = (const void *)instead});
  const tprt_site *site = NULL;
  tprt_site_visit(&selector, find, &site);
  original = (long (*)(long))tprt_site_original(site);
  callOriginal("without one", 0, 0);
  callOriginal("at the second instruction", 1, 0);
  callOriginal("at both", 1, 4);
  detach(probe, -1);
  showBytes();
  probe = attachSelected(selector, (tprt_action){.kind = TPRT_ACTION_COUNT});
  setBreakpoint(1);
  detach(probe, -1);
  printf("detached while one is there: ");
  showBytes();
  probe = attachSelected(selector, (tprt_action){.kind = TPRT_ACTION_COUNT});
  callWith("attached while one is there", 0, 0, probe);
  callWith("without one", 0, 0, probe);
  return 0;
}
