// llvm-bolt moves blocks of a function away, each with an unwind entry, and strip takes their symbols. If this fails, a
// block to which two such parts jump counts as a function, and a hit there overwrites data below the stack pointer.
//
// REQUIRES: x86_64-host
// RUN: gcc -O1 %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: 101 entries, 101 exits, results right
#include "Inputs/overwrite-below.h"

#define PART(name, code) "\n.p2align 4\n" name ":\n.cfi_startproc\n" code "\n.cfi_endproc\n"
__asm__(".text\n.globl leaf\n.type leaf, @function" PART("leaf", "movq %rdi, -8(%rsp)\nleaq 5(%rdi), %rax\nmovq %rax, -100(%rsp)\n"
                                                                 "testq $1, %rdi\njne .Lone\njmp .Ltwo") ".size leaf, . - leaf\n"
        PART(".Lone", "testq $2, %rdi\nje .Ltwo\naddq $3, -8(%rsp)\njmp .Lthree")
        PART(".Ltwo", "addq $7, -100(%rsp)\njmp .Lthree")
        PART(".Lthree", "movq -8(%rsp), %rax\naddq -100(%rsp), %rax\nret"));
long leaf(long);

__attribute__((noipa)) static long all(void) {
  long sum = 0;
  for (long i = 0; i < 100; ++i)
    sum = sum * 3 + leaf(i);
  return sum;
}

int main(void) {
  long plain = all();
  tprt_selector selector = {.function = "*",
                            .module = "*parts-that-parts-share*",
                            .kinds = TPRT_KIND_SET_ALL,
                            .flags = TPRT_SELECT_CODE | TPRT_SELECT_TRAPS};
  tprt_action action = {.handler = overwriteBelow};
  tprt_probe *probe = NULL;
  tprt_probe_attach(&selector, &action, &probe, NULL);
  long now = all();
  printf("%d entries, %d exits, results %s\n", hits[0], hits[1], now == plain ? "right" : "wrong");
  return 0;
}
