// The jumps at this function's entry and at the instruction after it end in the byte of its return, where a trap is. They
// must be refused because a neighbouring probe uses the bytes, not because another program has changed them. Once the trap
// is removed, the jumps are possible.
//
// REQUIRES: x86_64-host
// RUN: gcc -O1 %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: exit: status 0
// CHECK-NEXT: entry: status 4, no jump fits over its instruction {{.*}} neighbour that is on uses the bytes
// CHECK-NEXT: instruction: status 4, no jump fits over its instruction {{.*}} neighbour that is on uses the bytes
// CHECK-NEXT: entry: status 0
// CHECK-NEXT: instruction: status 0
// CHECK-NEXT: 100 hits, 100 hits, 100 hits, results right
#include "../Inputs/harness.h"

__asm__(".text\n.p2align 4\n.globl function\n.type function, @function\nfunction:\n.cfi_startproc\n"
        "movl %edi, %eax\nincl %eax\nret\n.cfi_endproc\n.size function, . - function\n"
        "movl $0xd0, %eax\nmovl $2, %eax\nmovl $3, %eax\nret\n");
int function(int);

static int hits[3], sum;
static tprt_probe *attachOne(const char *what, tprt_selector selector, int *count) {
  tprt_action action = {.handler = countHit, .data = count};
  tprt_probe *probe = NULL;
  tprt_result result = {};
  selector.flags |= TPRT_SELECT_CODE;
  tprt_status status = tprt_probe_attach(&selector, &action, &probe, &result);
  printf("%s: status %d%s%s\n", what, status, result.refused ? ", " : "", result.refused ? tprt_refusal_string(result.first_refusal) : "");
  for (int i = 0; probe && i < 100; ++i)
    sum += function(i);
  return probe;
}

int main(void) {
  tprt_selector exit = {.function = "function", .kinds = TPRT_KIND_SET_EXIT, .flags = TPRT_SELECT_TRAPS},
                entry = {.function = "function", .kinds = TPRT_KIND_SET_ENTRY}, instruction = {.function = "function+2"};
  tprt_probe *probe = attachOne("exit", exit, &hits[0]);
  if (attachOne("entry", entry, &hits[1]) || attachOne("instruction", instruction, &hits[2]) || tprt_probe_detach(probe, -1))
    return 1;
  tprt_probe_detach(attachOne("entry", entry, &hits[1]), -1);
  tprt_probe_detach(attachOne("instruction", instruction, &hits[2]), -1);
  printf("%d hits, %d hits, %d hits, results %s\n", hits[0], hits[1], hits[2], sum == 3 * 5050 ? "right" : "wrong");
}
