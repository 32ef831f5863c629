// If this fails, an exit whose jump would end in padding is refused as changed by another program, and gets no trap either.
// The padding holds the jump of an instruction that was probed earlier. That jump stays, because a thread may still be
// about to execute the jump.
//
// REQUIRES: x86_64-host
// RUN: gcc -O2 %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: the instruction: 10 hits
// CHECK-NEXT: the exit: no jump fits
// CHECK-NEXT: the exit, with traps: 10 hits
// CHECK-NEXT: the instruction: 10 hits
#include "../Inputs/harness.h"

// The return of the first function is followed by a ud2 and six bytes of padding. The return's jump would lead 0.8 GB
// back, to unused memory. The instruction at leaq + 8 of the second function has room for a jump only in that padding.
__asm__(".text\n.p2align 4\n.skip 16, 0x50\n.type leaves, @function\nleaves:\n.cfi_startproc\n.byte 0x48, 0x8d, 0x87\n.long 1\n" // leaq 1(%rdi), %rax
        "ret\nud2\n.cfi_endproc\n.size leaves, . - leaves\n.skip 6, 0xcc\n"
        ".type borrows, @function\nborrows:\n.cfi_startproc\n.byte 0x48, 0x8d, 0x87\n.long 1\nnop\nmovq %rax, %rdx\nret\nud2\n.cfi_endproc\n"
        ".size borrows, . - borrows\n.skip 160, 0x50\n");
long leaves(long), borrows(long);

static void probe(const char *what, const char *function, uint32_t kinds, uint32_t flags) {
  tprt_selector selector = {.function = function, .module = "*/exits-before-filled*", .kinds = kinds, .flags = TPRT_SELECT_CODE | flags};
  tprt_action action = {.kind = TPRT_ACTION_COUNT};
  tprt_probe *made = NULL;
  tprt_result result;
  if (tprt_probe_attach(&selector, &action, &made, &result) != TPRT_STATUS_OK) {
    printf("%s: %s\n", what, result.refused ? tprt_refusal_string(result.first_refusal) : tprt_error_string());
    return;
  }
  long wrong = 0;
  for (long i = 0; i < 10; ++i)
    wrong += leaves(i) + borrows(i) != 2 * i + 2;
  printf("%s: %d hits%s\n", what, (int)tprt_probe_count(made), wrong ? ", wrong results" : "");
  tprt_probe_detach(made, -1);
}

int main(void) {
  probe("the instruction", "borrows+8", 0, 0);
  probe("the exit", "leaves", TPRT_KIND_SET_EXIT, 0);
  probe("the exit, with traps", "leaves", TPRT_KIND_SET_EXIT, TPRT_SELECT_TRAPS);
  probe("the instruction", "borrows+8", 0, 0);
  return 0;
}
