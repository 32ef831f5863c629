// The jump at this function's entry ends in the byte of its return, which needs a trap. If the trap is stored first, the
// entry is refused, and calls of the function cannot be timed.
//
// REQUIRES: x86_64-host
// RUN: gcc -O1 %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: status 0: 100 entries, 100 exits, results right
// CHECK-NEXT: status 0: 0 entries, 0 exits, results right
#include "../Inputs/harness.h"

__asm__(".text\n.p2align 4\n.byte 0x90, 0x90, 0x90\n.globl function\n.type function, @function\nfunction:\n.cfi_startproc\n"
        "leal 1(%rdi,%rdi,2), %eax\nret\n.cfi_endproc\n.size function, . - function\n"
        "movl $1, %eax\nmovl $2, %eax\nmovl $3, %eax\nret\n");
int function(int);

static int hits[2];
static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) {
  (void)regs, (void)data;
  ++hits[event->kind != TPRT_KIND_ENTRY];
}

static void callIt(tprt_status status) {
  int sum = 0;
  hits[0] = hits[1] = 0;
  for (int i = 0; i < 100; ++i)
    sum += function(i);
  printf("status %d: %d entries, %d exits, results %s\n", status, hits[0], hits[1], sum == 14950 ? "right" : "wrong");
}

int main(void) {
  tprt_selector selector = {
      .function = "function", .kinds = TPRT_KIND_SET_ALL, .flags = TPRT_SELECT_CODE | TPRT_SELECT_TRAPS};
  tprt_action action = {.handler = onHit};
  tprt_probe *probe = NULL;
  callIt(tprt_probe_attach(&selector, &action, &probe, NULL));
  callIt(tprt_probe_detach(probe, -1));
  return 0;
}
