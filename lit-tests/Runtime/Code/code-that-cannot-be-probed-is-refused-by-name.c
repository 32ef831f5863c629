// In uninstrumented code, some sites are refused with a reason: a function's beginning that is also a
// loop's, a function with data in its code, a call as the first instruction. If there is no room for a
// jump, a trap is used if the probe allows traps.
//
// RUN: gcc -O1 %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: loop: a jump in the function leads to the instruction that would change, so that the instruction does not run only at entry or exit
// CHECK-NEXT: data: the function could not be decoded to its end
// CHECK-NEXT: call: its instruction can't run at another address: it is a call, a system call or in a restartable sequence (rseq)
// CHECK-NEXT: narrow: no jump fits over its instruction without changing other instructions; ask for traps
// CHECK-NEXT: with traps: 10 hits
#include "../Inputs/harness.h"

__asm__(".text\n.p2align 4\n.skip 8, 0x90\n.type loop, @function\n"
        "loop: .cfi_startproc\ndecq %rdi\njnz loop\nret\n.cfi_endproc\n.size loop, . - loop\n"
        ".p2align 4\n.type data, @function\n"
        "data: .cfi_startproc\njmp 1f\n.byte 0xff, 0xff, 0xff, 0xff\n1: ret\n.byte 0x06, 0x06\n.cfi_endproc\n.size data, . - data\n"
        ".p2align 4\n.type call, @function\n"
        "call: .cfi_startproc\ncall narrow\nret\n.cfi_endproc\n.size call, . - call\n"
        // The instruction has one byte, and a jump with the next bytes leads into this program's own code.
        ".p2align 4\n.skip 16, 0x50\n.type narrow, @function\n"
        "narrow: .cfi_startproc\nnop\n.byte 0x48, 0x05, 0, 0, 0, 0\nret\n.cfi_endproc\n.size narrow, . - narrow\n"
        ".skip 16, 0x50\n");
void narrow(void);

static void say(const char *name) {
  tprt_selector selector = {.function = name, .kinds = TPRT_KIND_SET_ENTRY, .flags = TPRT_SELECT_CODE,
                            .module = "*/code-that-cannot*"};
  tprt_action action = {.kind = TPRT_ACTION_COUNT};
  tprt_probe *probe = NULL;
  tprt_result result;
  tprt_probe_attach(&selector, &action, &probe, &result);
  printf("%s: %s\n", name, result.refused ? tprt_refusal_string(result.first_refusal) : "taken");
}

int main(void) {
  say("loop");
  say("data");
  say("call");
  say("narrow");
  int hits = 0;
  tprt_selector selector = {.function = "narrow", .kinds = TPRT_KIND_SET_ENTRY,
                            .flags = TPRT_SELECT_CODE | TPRT_SELECT_TRAPS, .module = "*/code-that-cannot*"};
  attachSelected(selector, (tprt_action){.kind = TPRT_ACTION_CALL, .handler = countHit, .data = &hits});
  for (int i = 0; i < 10; ++i)
    narrow();
  printf("with traps: %d hits\n", hits);
  return 0;
}
