/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Handmade instrumented functions, which test the runtime without the compiler
 * component. There is one of each kind at each offset of a 64-byte cache line.
 * All functions mix general-register arguments and the first stack argument into
 * x0, and change no other register that is live at their sled. The functions
 * are linked into the test programs and into the library that these programs
 * load and unload.
 *
 *   entry  label: [bti c]  nop               sled, then a jump to the body
 *   exit   label: the body inline; nop; ret
 *   tail   label: adr x16, body; nop; br x16
 */
#include "layout.h"

        .arch   armv8.5-a
        .section .text.stress,"ax",%progbits
        .p2align 6

        .macro  mix registers:vararg
        .irp    register, \registers
        ror     x0, x0, #57
        eor     x0, x0, \register
        .endr
        .endm

        /* The registers, except x0, that are live at a usual entry or exit. */
        .macro  mix_usual
        ldr     x9, [sp]
        mix     x1, x2, x3, x4, x5, x6, x7, x8, x15, x18, x9
        .endm

        .type   stress_body, %function
stress_body:
        .cfi_startproc
        bti     c
        mix_usual
        ret
        .cfi_endproc
        .size   stress_body, . - stress_body

        /* If every register is live, none is used as scratch. */
        .type   stress_whole_body, %function
stress_whole_body:
        .cfi_startproc
        bti     c
        mix     x1, x2, x3, x4, x5, x6, x7, x8, x15, x18
        ret
        .cfi_endproc
        .size   stress_whole_body, . - stress_whole_body

        .macro  sled_function name, offset, event, pad, needs
        .p2align 6
        .skip   64 + \offset
        .globl  \name\()_\offset
        .type   \name\()_\offset, %function
.Lfunction\@:
\name\()_\offset:
        .cfi_startproc
        .if     \pad
        bti     c
        .endif
        .if     \event == SLED_EXIT
        mix_usual
        .elseif \event == SLED_TAIL
        adr     x16, stress_whole_body
        .endif
.Lsled\@:
        nop
        .if     \event == SLED_EXIT
        ret
        .elseif \event == SLED_TAIL
        br      x16
        .elseif \needs & SLED_NEEDS_OTHER
        b       stress_whole_body
        .else
        b       stress_body
        .endif
        .cfi_endproc
        .size   \name\()_\offset, . - \name\()_\offset

        .pushsection tp_sleds,"ao",%progbits,.text.stress
        .p2align 2
        .word   .Lsled\@ - .
        .word   .Lfunction\@ - .
        .byte   SLED_WORD << 4 | \event, 4, 0, \needs
        .popsection

        .pushsection .data.rel.ro.stress,"aw",%progbits
        .xword  .Lfunction\@
        .byte   \offset, SLED_WORD, \pad, \needs
        .word   \event
        .popsection
        .endm

        .macro  sled_functions name, event, pad, needs
        .irp    offset, 0,4,8,12,16,20,24,28,32,36,40,44,48,52,56,60
        sled_function \name, \offset, \event, \pad, \needs
        .endr
        .endm

        /* struct StressFunction stress_functions[stress_function_count]; */
        .pushsection .data.rel.ro.stress,"aw",%progbits
        .p2align 3
        .globl  stress_functions
        .type   stress_functions, %object
stress_functions:
        .popsection

        sled_functions stress_entry_plain, SLED_ENTRY, 0, 0
        sled_functions stress_entry_bti, SLED_ENTRY, 1, 0
        sled_functions stress_entry_scalable, SLED_ENTRY, 1, SLED_NEEDS_SCALABLE
        sled_functions stress_entry_streaming, SLED_ENTRY, 0, SLED_NEEDS_STREAMING
        sled_functions stress_exit_plain, SLED_EXIT, 0, 0
        sled_functions stress_exit_scalable, SLED_EXIT, 1, SLED_NEEDS_SCALABLE
        sled_functions stress_tail_plain, SLED_TAIL, 1, 0
        sled_functions stress_other_entry, SLED_ENTRY, 1, SLED_NEEDS_OTHER
        sled_functions stress_opaque_entry, SLED_ENTRY, 0, SLED_OPAQUE
        sled_functions stress_opaque_bti, SLED_ENTRY, 1, SLED_OPAQUE
        sled_functions stress_opaque_exit, SLED_EXIT, 0, SLED_OPAQUE
#include "points.inc"

        .pushsection .data.rel.ro.stress,"aw",%progbits
        .size   stress_functions, . - stress_functions
        .globl  stress_functions_end
        .type   stress_functions_end, %object
stress_functions_end:
        .xword  0
        .size   stress_functions_end, 8
        .popsection

        .weak   __start_tp_sleds
        .hidden __start_tp_sleds
        .weak   __stop_tp_sleds
        .hidden __stop_tp_sleds
        .section .note.tp,"aGR",%note,__tp_note_v1,comdat
        .p2align 2
        .word   3, 16, SLED_NOTE_VERSION
        .asciz  "tp"
        .p2align 2
        .xword  __start_tp_sleds - .
        .xword  __stop_tp_sleds - .

        /* There is no note that requests the BTI guard, because half of these
         * functions have no landing pad but are called through a pointer. */
        .section .note.GNU-stack,"",%progbits
