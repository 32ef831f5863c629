/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Functions with an entry and an exit sled, for times_test.cpp:
 *
 *   void timed_NAME(void (*body)(void *), void *data);    calls body(data)
 *
 * timed_endless has no exit sled. The shapes are SHORT and RET, like the
 * plugin's sleds (docs/reference/table-abi.md).
 */
        .text

        .macro  sled label, function, shape, kind, size, slot
        .pushsection tp_sleds,"ao",@progbits,.text
        .p2align 2
        .long   \label - .
        .long   \function - .
        .byte   \shape << 4 | \kind, \size, \slot, 0
        .popsection
        .endm

        .macro  timed name, exits
        .p2align 6, 0xcc
        .skip   64, 0xcc
        .globl  \name
        .type   \name, @function
\name:
        .cfi_startproc
.Lentry\@:
        .byte   0x66, 0x90
        sub     $8, %rsp
        .cfi_adjust_cfa_offset 8
        mov     %rdi, %rax
        mov     %rsi, %rdi
        call    *%rax
        add     $8, %rsp
        .cfi_adjust_cfa_offset -8
.Lexit\@:
        ret
        .byte   0xcc, 0xcc, 0xcc, 0xcc
        .cfi_endproc
        .size   \name, . - \name
        sled    .Lentry\@, \name, 1, 0, 2, 5
        .if     \exits
        sled    .Lexit\@, \name, 3, 1, 5, 0
        .endif
        .endm

        timed   timed_outer, 1
        timed   timed_inner, 1
        timed   timed_other, 1
        timed   timed_endless, 0

        .weak   __start_tp_sleds
        .hidden __start_tp_sleds
        .weak   __stop_tp_sleds
        .hidden __stop_tp_sleds
        .section .note.tp,"aGR",@note,__tp_note_v1,comdat
        .p2align 2
        .long   3, 16, 1
        .asciz  "tp"
        .p2align 2
        .quad   __start_tp_sleds - .
        .quad   __stop_tp_sleds - .

        .section .note.GNU-stack,"",@progbits
