/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Only the jumps, calls and returns of a hit: sled, slot, stub, trampoline,
 * handler, and back. Stub and trampoline are on separate pages, as in libtprt.
 * jumps_hit is hit_target with such an entry; jumps_pair also has such an exit.
 * (x86-64)
 */
  .macro WAY name, back:vararg
  .p2align 12
stub_\name:
  leaq stub_\name(%rip), %r11
  jmp trampoline_\name
  .p2align 12
trampoline_\name:
  call hit_jumps_handler
  \back
  .endm

  .text
  .p2align 6
  .globl jumps_hit
jumps_hit:
  .byte 0xeb, slot_hit - . - 1 /* the short jump of a sled */
body_hit:
  leaq 1(%rdi,%rdi,2), %rax
  ret
slot_hit:
  jmp stub_hit

  .p2align 6
  .globl jumps_pair
jumps_pair:
  .byte 0xeb, slot_pair - . - 1
body_pair:
  leaq 1(%rdi,%rdi,2), %rax
  jmp stub_exit
slot_pair:
  jmp stub_pair

  .p2align 6
  .globl jumps_off
jumps_off:
  .byte 0x66, 0x90
  leaq 1(%rdi,%rdi,2), %rax
  ret

  WAY hit, leaq body_hit(%rip), %r11; jmp *%r11
  WAY pair, leaq body_pair(%rip), %r11; jmp *%r11
  WAY exit, ret

  .p2align 6
hit_jumps_handler:
  ret
  .section .note.GNU-stack, "", @progbits
