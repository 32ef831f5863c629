// Nops after a jump look like padding, but a switch may lead there: a tracer's statement may be the first statement of
// a case. Here all cases begin with such nops. They are reached by a jump through a table of distances, and by a jump
// through a table of addresses. No short jump may use them.
//
// RUN: gcc -O1 %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: by_distance: {{[0-9]+}} instructions, 0 of 4 cases wrong
// CHECK-NEXT: by_address: {{[0-9]+}} instructions, 0 of 4 cases wrong
#include "../Inputs/harness.h"
#include "Inputs/means.h"

#define NOP "\n.byte 0x0f, 0x1f, 0x44, 0, 0\n"
#define CASES(prefix) \
  prefix "0:" NOP "movq %rsi, %rax\njmp 9f\n" prefix "1:" NOP "leaq 1(%rsi), %rax\njmp 9f\n" \
  prefix "2:" NOP "leaq 2(%rsi), %rax\njmp 9f\n" prefix "3:" NOP "leaq 3(%rsi), %rax\n9: ret"
__asm__(".text\n"
        PACKED("by_distance", "0", "nop\nleaq distances(%rip), %rdx\nmovslq (%rdx,%rdi,4), %rax\naddq %rdx, %rax\njmp *%rax\n" CASES("d"))
        PACKED("by_address", "0", "nop\nleaq addresses(%rip), %rdx\nmovq (%rdx,%rdi,8), %rax\njmp *%rax\n" CASES("a"))
        ".section .rodata\n.p2align 2\ndistances: .long d0 - distances, d1 - distances, d2 - distances, d3 - distances\n"
        ".section .data.rel.ro, \"aw\"\n.p2align 3\naddresses: .quad a0, a1, a2, a3\n.text\n");
long by_distance(long which, long number), by_address(long which, long number);

static void check(const char *name, long (*function)(long, long)) {
  char pattern[32];
  int wrong = 0;
  snprintf(pattern, sizeof pattern, "%s+*", name);
  tprt_selector selector = {.function = pattern, .flags = TPRT_SELECT_CODE};
  tprt_action action = {.kind = TPRT_ACTION_COUNT};
  tprt_probe *probe = NULL;
  tprt_result result;
  tprt_probe_attach(&selector, &action, &probe, &result);
  for (long i = 0; i < 4; ++i)
    wrong += function(i, 10) != 10 + i;
  printf("%s: %zu instructions, %d of 4 cases wrong\n", name, result.enabled, wrong);
  fflush(stdout);
  tprt_probe_detach(probe, -1);
}

int main(void) {
  check("by_distance", by_distance);
  check("by_address", by_address);
  return 0;
}
