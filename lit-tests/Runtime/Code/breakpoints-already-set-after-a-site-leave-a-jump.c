// A debugger has set a breakpoint at the second instruction of a function. A jump in place of only the first
// instruction is still possible. If this fails, a probe at that function is refused, because a longer jump would end
// in the breakpoint.
//
// RUN: gcc -O1 %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: bare_hop: on, 5, 1 hit; off, 5
// CHECK-NEXT: bare_jump: on, 5, 1 hit; off, 5
#include "../Inputs/harness.h"
#include "Inputs/means.h"
#include <sys/mman.h>

// `second` is where the second instruction begins.
static void probe(const char *name, long (*function)(long), int second) {
  unsigned char *code = (unsigned char *)function, was = code[second];
  code[second] = 0xcc;
  tprt_selector selector = {.function = name, .module = "*/breakpoints-already-set*", .flags = TPRT_SELECT_CODE | TPRT_SELECT_LOADED};
  tprt_action action = {.kind = TPRT_ACTION_COUNT};
  tprt_probe *probe = NULL;
  tprt_status status = tprt_probe_attach(&selector, &action, &probe, NULL);
  code[second] = was;
  long result = function(4);
  printf("%s: %s, %ld, %d hit; ", name, status == TPRT_STATUS_OK ? "on" : "refused", result, (int)tprt_probe_count(probe));
  tprt_probe_detach(probe, -1);
  result = function(4);
  printf("off, %ld\n", result);
}

int main(void) {
  char *page = (char *)((uintptr_t)bare_jump & ~4095ul);
  mprotect(page, 8192, PROT_READ | PROT_WRITE | PROT_EXEC);
  probe("bare_hop", bare_hop, 2);
  probe("bare_jump", bare_jump, 5);
  return 0;
}
