/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Functions with an entry and an exit sled, for times_test.cpp:
 *
 *   void timed_NAME(void (*body)(void *), void *data);    calls body(data)
 *
 * timed_endless has no exit sled. The shape is WORD, like the plugin's sleds
 * (docs/reference/table-abi.md).
 */
        .text

        .macro  sled label, function, kind
        .pushsection tp_sleds,"ao",%progbits,.text
        .p2align 2
        .word   \label - .
        .word   \function - .
        .byte   4 << 4 | \kind, 4, 0, 0
        .popsection
        .endm

        .macro  timed name, exits
        .p2align 6
        .globl  \name
        .type   \name, %function
\name:
        .cfi_startproc
        bti     c
.Lentry\@:
        nop
        stp     x29, x30, [sp, #-16]!
        .cfi_def_cfa_offset 16
        .cfi_offset x29, -16
        .cfi_offset x30, -8
        mov     x29, sp
        mov     x9, x0
        mov     x0, x1
        blr     x9
        ldp     x29, x30, [sp], #16
        .cfi_restore x29
        .cfi_restore x30
        .cfi_def_cfa_offset 0
.Lexit\@:
        nop
        ret
        .cfi_endproc
        .size   \name, . - \name
        sled    .Lentry\@, \name, 0
        .if     \exits
        sled    .Lexit\@, \name, 1
        .endif
        .endm

        .arch   armv8.5-a
        timed   timed_outer, 1
        timed   timed_inner, 1
        timed   timed_other, 1
        timed   timed_endless, 0

        .weak   __start_tp_sleds
        .hidden __start_tp_sleds
        .weak   __stop_tp_sleds
        .hidden __stop_tp_sleds
        .section .note.tp,"aGR",%note,__tp_note_v1,comdat
        .p2align 2
        .word   3, 16, 1
        .asciz  "tp"
        .p2align 2
        .xword  __start_tp_sleds - .
        .xword  __stop_tp_sleds - .

        .section .note.GNU-stack,"",%progbits
