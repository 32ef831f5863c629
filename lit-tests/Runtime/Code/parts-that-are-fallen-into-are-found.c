// Blocks in sections of their own (clang's -fbasic-block-sections) may be reached without any jump: the block before them
// continues there. If this fails, libtprt does not know to which function such a block belongs, or the blocks to which its
// table leads. Their returns are then not exits.
//
// REQUIRES: x86_64-host
// RUN: gcc -O1 %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
// RUN: strip %t -o %t.bare && %t.bare | FileCheck %s
//
// CHECK: 101 entries, 101 exits, results right
#include "Inputs/overwrite-below.h"

#define PART(name, code) name ":\n.cfi_startproc\n" code "\n.cfi_endproc\n"
__asm__(".text\n.p2align 4\n.globl leaf\n.type leaf, @function\n" PART("leaf", "movq %rdi, -8(%rsp)\nmovq %rdi, -100(%rsp)\ntestq %rdi, %rdi\nje .Lzero")
        ".size leaf, . - leaf\n"
        PART(".Lfallen", "leaq .Ltable(%rip), %rdx\nmovq %rdi, %rcx\nandl $1, %ecx\nmovslq (%rdx,%rcx,8), %rax\naddq %rdx, %rax\njmp *%rax")
        PART(".Lodd", "movq -8(%rsp), %rax\naddq -100(%rsp), %rax\nret")
        PART(".Leven", "movq -100(%rsp), %rax\nret")
        PART(".Lzero", "leaq 7(%rdi), %rax\nret")
        // The row for an impossible value leads past the last instruction.
        ".Lnever: .p2align 4\n"
        ".section .rodata\n.p2align 2\n.Ltable: .long .Leven - .Ltable, .Lnever - .Ltable, .Lodd - .Ltable\n.text\n");
long leaf(long);

__attribute__((noipa)) static long all(void) {
  long sum = 0;
  for (long i = 0; i < 100; ++i)
    sum = sum * 3 + leaf(i);
  return sum;
}

int main(void) {
  long plain = all();
  tprt_selector selector = {.function = "*", .module = "*parts-that-are-fallen*", .kinds = TPRT_KIND_SET_ALL, .flags = TPRT_SELECT_CODE | TPRT_SELECT_TRAPS};
  tprt_action action = {.handler = overwriteBelow};
  tprt_probe *probe = NULL;
  tprt_probe_attach(&selector, &action, &probe, NULL);
  long now = all();
  tprt_probe_detach(probe, -1);
  printf("%d entries, %d exits, results %s\n", hits[0], hits[1], now == plain ? "right" : "wrong");
  return 0;
}
