/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Handmade instrumented functions, which test the runtime without the compiler
 * component. For each shape there are functions whose entry labels are at each
 * even offset of a 64-byte cache line, with and without a landing pad. All
 * functions jump to one body, which mixes the general-register arguments and
 * the first stack argument into rax and changes no other register. The
 * functions are linked into the test programs and into the library that these
 * programs load and unload.
 *
 *   SHORT      cc cc cc cc cc            slot, may cross a cache line
 *       label: [endbr64]  66 90          sled, at an even address
 *   LONG       label: [endbr64] [nop4]   nop4: where the sled would cross a word
 *              0f 1f 44 00 00            sled, inside one aligned 8-byte word
 *   RET        label: c3 cc cc cc cc     exits: the functions do nothing but leave
 *   PLAIN      label: [endbr64]  90 | 90 90 | 90 90 90 90 90 | 0f 1f 44 00 00
 *                                        the last also across two words and lines
 *
 * Exit sleds are in functions that return immediately, so the result is the rax
 * at the call. At a tail exit no register may change.
 */
#include "layout.h"

        .section .text.stress,"ax",@progbits
        .p2align 6

        .globl  stress_body
        .hidden stress_body
        .type   stress_body, @function
stress_body:
        .cfi_startproc
        add     %rdi, %rax
        .irp    register, %rsi, %rdx, %rcx, %r8, %r9, %r10, 8(%rsp)
        rol     $7, %rax
        xor     \register, %rax
        .endr
        ret
        .cfi_endproc
        .size   stress_body, . - stress_body

        .type   stress_leave, @function
stress_leave:
        .cfi_startproc
        ret
        .cfi_endproc
        .size   stress_leave, . - stress_leave

        /* kind: the record's traits without the shape; nops: for PLAIN, the
         * number of one-byte nops, or 0 for one nop of five bytes */
        .macro  sled_function name, offset, shape, pad, needs, kind, nops
        .p2align 6, 0xcc
        .skip   64 + \offset, 0xcc
        .globl  \name\()_\offset
        .type   \name\()_\offset, @function
.Lfunction\@:
\name\()_\offset:
        .cfi_startproc
        .if     \pad
        endbr64
        .endif
        .if     \shape == SLED_LONG && ((\offset + 4 * \pad) & 7) > 3
        .byte   0x0f, 0x1f, 0x40, 0x00
        .endif
.Lsled\@:
        .if     \shape == SLED_SHORT
        .byte   0x66, 0x90
        .elseif \shape == SLED_RET
        .byte   0xc3, 0xcc, 0xcc, 0xcc, 0xcc
        .elseif \shape == SLED_PLAIN && \nops
        .fill   \nops, 1, 0x90
        .else
        .byte   0x0f, 0x1f, 0x44, 0x00, 0x00
        .endif
.Lrest\@:
        .if     (\kind & 3) == SLED_ENTRY
        jmp     stress_body
        .elseif (\kind & 3) == SLED_TAIL
        jmp     stress_leave
        .elseif \shape != SLED_RET
        ret     $0
        .endif
        .cfi_endproc
        .size   \name\()_\offset, . - \name\()_\offset

        .pushsection tp_sleds,"ao",@progbits,.text.stress
        .p2align 2
        .long   .Lsled\@ - .
        .long   .Lfunction\@ - .
        .byte   \shape << 4 | \kind
        .byte   .Lrest\@ - .Lsled\@
        .if     \shape == SLED_SHORT
        .byte   5
        .else
        .byte   0
        .endif
        .byte   \needs
        .popsection

        .pushsection .data.rel.ro.stress,"aw",@progbits
        .quad   .Lfunction\@
        .byte   \offset, \shape, \pad, \needs, \kind, 0, 0, 0
        .popsection
        .endm

        .macro  sled_functions name, shape, pad, needs, kind=0, nops=0
        .irp    offset, 0,2,4,6,8,10,12,14,16,18,20,22,24,26,28,30
        sled_function \name, \offset, \shape, \pad, \needs, \kind, \nops
        .endr
        .irp    offset, 32,34,36,38,40,42,44,46,48,50,52,54,56,58,60,62
        sled_function \name, \offset, \shape, \pad, \needs, \kind, \nops
        .endr
        .endm

        /* struct StressFunction stress_functions[stress_function_count]; */
        .pushsection .data.rel.ro.stress,"aw",@progbits
        .p2align 3
        .globl  stress_functions
        .type   stress_functions, @object
stress_functions:
        .popsection

        sled_functions stress_short_plain, SLED_SHORT, 0, 0
        sled_functions stress_short_endbr, SLED_SHORT, 1, 0
        sled_functions stress_short_vec256, SLED_SHORT, 0, SLED_NEEDS_VEC256
        sled_functions stress_short_vec512, SLED_SHORT, 1, SLED_NEEDS_VEC512
        sled_functions stress_other_short, SLED_SHORT, 0, SLED_NEEDS_OTHER
        sled_functions stress_long_plain, SLED_LONG, 0, 0
        sled_functions stress_long_endbr, SLED_LONG, 1, 0
        sled_functions stress_long_vec256, SLED_LONG, 0, SLED_NEEDS_VEC256
        sled_functions stress_long_vec512, SLED_LONG, 1, SLED_NEEDS_VEC512
        sled_functions stress_other_long, SLED_LONG, 0, SLED_NEEDS_OTHER
        sled_functions stress_live_one, SLED_SHORT, 0, 0, (SLED_LIVE_ONE | SLED_NO_VECTORS)
        sled_functions stress_live_three, SLED_SHORT, 0, 0, (SLED_LIVE_THREE | SLED_NO_VECTORS)
        sled_functions stress_live_six, SLED_LONG, 0, 0, (SLED_LIVE_ARGUMENTS | SLED_NO_VECTORS)
        sled_functions stress_live_float, SLED_LONG, 1, 0, SLED_LIVE_ONE
        sled_functions stress_ret_plain, SLED_RET, 0, 0, SLED_EXIT
        sled_functions stress_ret_one, SLED_RET, 0, 0, (SLED_EXIT | SLED_LIVE_ONE | SLED_NO_VECTORS)
        sled_functions stress_exit_plain, SLED_LONG, 0, 0, SLED_EXIT
        sled_functions stress_exit_vec256, SLED_LONG, 0, SLED_NEEDS_VEC256, SLED_EXIT
        sled_functions stress_opaque_short, SLED_SHORT, 0, SLED_OPAQUE
        sled_functions stress_opaque_long, SLED_LONG, 1, SLED_OPAQUE
        sled_functions stress_opaque_ret, SLED_RET, 0, SLED_OPAQUE, SLED_EXIT
        sled_functions stress_tail_plain, SLED_LONG, 0, 0, SLED_TAIL
        sled_functions stress_tail_vec512, SLED_LONG, 0, SLED_NEEDS_VEC512, SLED_TAIL
        sled_functions stress_trap_one, SLED_PLAIN, 0, 0, (SLED_LIVE_ONE | SLED_NO_VECTORS), 1
        sled_functions stress_trap_two, SLED_PLAIN, 0, 0, 0, 2
        sled_functions stress_trap_five, SLED_PLAIN, 1, 0, 0, 5
        sled_functions stress_trap_long, SLED_PLAIN, 0, SLED_NEEDS_VEC256
        sled_functions stress_trap_other, SLED_PLAIN, 1, SLED_NEEDS_OTHER, 0, 2
#include "points.inc"

        .pushsection .data.rel.ro.stress,"aw",@progbits
        .size   stress_functions, . - stress_functions
        .globl  stress_functions_end
        .type   stress_functions_end, @object
stress_functions_end:
        .quad   0
        .size   stress_functions_end, 8
        .popsection

        .weak   __start_tp_sleds
        .hidden __start_tp_sleds
        .weak   __stop_tp_sleds
        .hidden __stop_tp_sleds
        .section .note.tp,"aGR",@note,__tp_note_v1,comdat
        .p2align 2
        .long   3, 16, SLED_NOTE_VERSION
        .asciz  "tp"
        .p2align 2
        .quad   __start_tp_sleds - .
        .quad   __stop_tp_sleds - .

        .section .note.gnu.property,"a",@note
        .p2align 3
        .long   4, 16, 5
        .asciz  "GNU"
        .long   0xc0000002, 4, 3, 0
        .section .note.GNU-stack,"",@progbits
