/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * hit_target for code without sleds. The jump at its entry is a pun: its last
 * byte is the first byte of the next instruction. 48 8d 04 7f a9 becomes e9 ..
 * .. .. a9, which leads 1.45 GB back. (x86-64)
 */
  .text
  .p2align 6
  .globl hit_target
  .type hit_target, @function
hit_target:
  .cfi_startproc
  leaq (%rdi,%rdi,2), %rax
  testl $1, %eax
  incq %rax
  ret
  .cfi_endproc
  .size hit_target, . - hit_target
  .section .note.GNU-stack, "", @progbits
