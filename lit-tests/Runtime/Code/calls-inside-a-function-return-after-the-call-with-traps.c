// A call is never copied, not even with traps: the return address that it leaves on the stack must be in its own
// function, where unwinders look it up. Calls at all eight places of an aligned word are probed. If the bytes of
// the call's displacement lie in two words, the call is refused.
//
// RUN: gcc -O1 %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: 5 calls probed, 3 refused: its instruction can't run at another address
// CHECK-NEXT: 8 of 8 calls returned into their function
#include "../Inputs/harness.h"
#include "Inputs/means.h"

// Returns its own return address.
#define CALLER(name, offset) \
  FUNCTION(name, offset, "subq $8, %rsp\n.cfi_def_cfa_offset 16\ncall whence\naddq $8, %rsp\n.cfi_def_cfa_offset 8\nret")
__asm__(".text\n" FUNCTION("whence", "0", "movq (%rsp), %rax\nret") CALLER("from0", "0") CALLER("from1", "1")
        CALLER("from2", "2") CALLER("from3", "3") CALLER("from4", "4") CALLER("from5", "5") CALLER("from6", "6")
        CALLER("from7", "7"));
typedef long Function(void);
Function from0, from1, from2, from3, from4, from5, from6, from7;
static Function *const functions[] = {from0, from1, from2, from3, from4, from5, from6, from7};
enum { CALL_AT = 4, CALL_BYTES = 5 };

int main(void) {
  int taken = 0, refused = 0, right = 0;
  const char *reason = "";
  for (int i = 0; i < 8; ++i) {
    tprt_selector selector = {.address = (const char *)functions[i] + CALL_AT, .kinds = TPRT_KIND_SET_INSTRUCTION,
                              .flags = TPRT_SELECT_CODE | TPRT_SELECT_TRAPS};
    tprt_action action = {.handler = ignoreHit};
    tprt_probe *probe = NULL;
    tprt_result result;
    tprt_probe_attach(&selector, &action, &probe, &result);
    taken += result.enabled == 1;
    refused += result.refused == 1;
    reason = result.refused ? tprt_refusal_string(result.first_refusal) : reason;
    right += functions[i]() == (long)functions[i] + CALL_AT + CALL_BYTES;
    tprt_probe_detach(probe, -1);
  }
  printf("%d calls probed, %d refused: %s\n", taken, refused, reason);
  printf("%d of 8 calls returned into their function\n", right);
  return 0;
}
