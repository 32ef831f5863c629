// A function that sets the direction flag has it set at some of its instructions. A handler must find the flag clear
// (psABI, 3.2.1), because otherwise the handler would copy memory backwards. So only the entry and exit of such a
// function are sites; there the flag is clear.
//
// RUN: gcc -O1 %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: turn+8: refused, its instruction can't run at another address: {{.*}} or its function sets the direction flag
// CHECK-NEXT: turn: 2 hits, the flag was set at 0
#include "../Inputs/harness.h"
#include "Inputs/means.h"

// The flag is set at the nop of five bytes, which begins an aligned word.
__asm__(".text\n" FUNCTION("turn", "0", "std\nlodsb\n.skip 6, 0x90\n.byte 0x0f, 0x1f, 0x44, 0, 0\ncld\nnop\n" RET_PADDED));
void turn(void *unused, const char *from);

static int hits, set;
static void look(const tprt_event *event, const tprt_regs *regs, void *data) {
  unsigned long flags;
  (void)event, (void)regs, (void)data;
  __asm__ volatile("pushfq\n\tpopq %0\n\tcld" : "=r"(flags));
  ++hits;
  set += flags >> 10 & 1;
}

static void check(const char *pattern, uint32_t kinds) {
  tprt_selector selector = {.function = pattern, .kinds = kinds, .flags = TPRT_SELECT_CODE};
  tprt_action action = {.handler = look};
  tprt_probe *probe = NULL;
  tprt_result result;
  tprt_status status = tprt_probe_attach(&selector, &action, &probe, &result);
  turn(NULL, "some text");
  if (status == TPRT_STATUS_REFUSED)
    printf("%s: refused, %s\n", pattern, tprt_refusal_string(result.first_refusal));
  else
    printf("%s: %d hits, the flag was set at %d\n", pattern, hits, set);
  tprt_probe_detach(probe, -1);
}

int main(void) {
  check("turn+8", 0);
  check("turn", TPRT_KIND_SET_ALL);
  return 0;
}
