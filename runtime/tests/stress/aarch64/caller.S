/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * void stress_call_{128,scalable,streaming}(const CallState *in, CallState *out, const void *function)
 *
 * Loads registers from *in, calls function, and stores the registers into *out.
 * state.cpp compares *in and *out. The registers are every general register
 * except sp and x30, the vector registers, the flags, and eight words of the
 * frame. For a vector register these are 128 bits, or, if the name says
 * scalable or streaming, all of it up to 64 bytes. function returns to
 * stress_call_*_return, which handlers check.
 *
 *   sp at the call:  0..63  words that the callee may read but not write
 *                    64 function  72 out  80 x0 after the call
 *                    96 x29 x30  112..191 x19-x28  192..255 d8-d15
 */
#include "layout.h"

        .arch   armv8.5-a+sve
        .arch_extension sme

#define FRAME 256

#define ALL 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31

        .macro  caller name, scalable, streaming
        .text
        .globl  \name
        .p2align 4
        .type   \name, %function
\name:
        .cfi_startproc
        bti     c
        sub     sp, sp, #FRAME
        .cfi_def_cfa_offset FRAME
        stp     x29, x30, [sp, #96]
        .cfi_offset x29, 96 - FRAME
        .cfi_offset x30, 104 - FRAME
        .irp    number, 19,20,21,22,23,24,25,26,27,28
        str     x\number, [sp, #112 + 8 * (\number - 19)]
        .cfi_offset x\number, 112 + 8 * (\number - 19) - FRAME
        .endr
        .irp    number, 8,9,10,11,12,13,14,15
        str     d\number, [sp, #192 + 8 * (\number - 8)]
        .cfi_offset d\number, 192 + 8 * (\number - 8) - FRAME
        .endr
        stp     x2, x1, [sp, #64]
        .irp    word, 0,8,16,24,32,40,48,56
        ldr     x9, [x0, #CALL_STACK + \word]
        str     x9, [sp, #\word]
        .endr
        .if     \streaming
        smstart sm
        .endif
        .if     \scalable
        mov     x9, #8
        whilelo p0.d, xzr, x9
        add     x9, x0, #CALL_VECTOR + 64 * 0
        ld1d    {z0.d}, p0/z, [x9]
        add     x9, x0, #CALL_VECTOR + 64 * 1
        ld1d    {z1.d}, p0/z, [x9]
        add     x9, x0, #CALL_VECTOR + 64 * 2
        ld1d    {z2.d}, p0/z, [x9]
        add     x9, x0, #CALL_VECTOR + 64 * 3
        ld1d    {z3.d}, p0/z, [x9]
        add     x9, x0, #CALL_VECTOR + 64 * 4
        ld1d    {z4.d}, p0/z, [x9]
        add     x9, x0, #CALL_VECTOR + 64 * 5
        ld1d    {z5.d}, p0/z, [x9]
        add     x9, x0, #CALL_VECTOR + 64 * 6
        ld1d    {z6.d}, p0/z, [x9]
        add     x9, x0, #CALL_VECTOR + 64 * 7
        ld1d    {z7.d}, p0/z, [x9]
        add     x9, x0, #CALL_VECTOR + 64 * 8
        ld1d    {z8.d}, p0/z, [x9]
        add     x9, x0, #CALL_VECTOR + 64 * 9
        ld1d    {z9.d}, p0/z, [x9]
        add     x9, x0, #CALL_VECTOR + 64 * 10
        ld1d    {z10.d}, p0/z, [x9]
        add     x9, x0, #CALL_VECTOR + 64 * 11
        ld1d    {z11.d}, p0/z, [x9]
        add     x9, x0, #CALL_VECTOR + 64 * 12
        ld1d    {z12.d}, p0/z, [x9]
        add     x9, x0, #CALL_VECTOR + 64 * 13
        ld1d    {z13.d}, p0/z, [x9]
        add     x9, x0, #CALL_VECTOR + 64 * 14
        ld1d    {z14.d}, p0/z, [x9]
        add     x9, x0, #CALL_VECTOR + 64 * 15
        ld1d    {z15.d}, p0/z, [x9]
        add     x9, x0, #CALL_VECTOR + 64 * 16
        ld1d    {z16.d}, p0/z, [x9]
        add     x9, x0, #CALL_VECTOR + 64 * 17
        ld1d    {z17.d}, p0/z, [x9]
        add     x9, x0, #CALL_VECTOR + 64 * 18
        ld1d    {z18.d}, p0/z, [x9]
        add     x9, x0, #CALL_VECTOR + 64 * 19
        ld1d    {z19.d}, p0/z, [x9]
        add     x9, x0, #CALL_VECTOR + 64 * 20
        ld1d    {z20.d}, p0/z, [x9]
        add     x9, x0, #CALL_VECTOR + 64 * 21
        ld1d    {z21.d}, p0/z, [x9]
        add     x9, x0, #CALL_VECTOR + 64 * 22
        ld1d    {z22.d}, p0/z, [x9]
        add     x9, x0, #CALL_VECTOR + 64 * 23
        ld1d    {z23.d}, p0/z, [x9]
        add     x9, x0, #CALL_VECTOR + 64 * 24
        ld1d    {z24.d}, p0/z, [x9]
        add     x9, x0, #CALL_VECTOR + 64 * 25
        ld1d    {z25.d}, p0/z, [x9]
        add     x9, x0, #CALL_VECTOR + 64 * 26
        ld1d    {z26.d}, p0/z, [x9]
        add     x9, x0, #CALL_VECTOR + 64 * 27
        ld1d    {z27.d}, p0/z, [x9]
        add     x9, x0, #CALL_VECTOR + 64 * 28
        ld1d    {z28.d}, p0/z, [x9]
        add     x9, x0, #CALL_VECTOR + 64 * 29
        ld1d    {z29.d}, p0/z, [x9]
        add     x9, x0, #CALL_VECTOR + 64 * 30
        ld1d    {z30.d}, p0/z, [x9]
        add     x9, x0, #CALL_VECTOR + 64 * 31
        ld1d    {z31.d}, p0/z, [x9]
        add     x9, x0, #CALL_PREDICATE
        .irp    number, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15
        ldr     p\number, [x9, #\number, mul vl]
        .endr
        .if     \streaming == 0
        setffr
        .endif
        .else
        .irp    number, ALL
        ldr     q\number, [x0, #CALL_VECTOR + 64 * \number]
        .endr
        .endif
        ldr     x9, [x0, #CALL_NZCV]
        msr     nzcv, x9
        .irp    number, 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29
        ldr     x\number, [x0, #CALL_X + 8 * \number]
        .endr
        ldr     x30, [sp, #64]
        ldr     x0, [x0]
        blr     x30
        .globl  \name\()_return
\name\()_return:
        str     x0, [sp, #80]
        ldr     x0, [sp, #72]
        .irp    number, 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29
        str     x\number, [x0, #CALL_X + 8 * \number]
        .endr
        mrs     x9, nzcv
        str     x9, [x0, #CALL_NZCV]
        ldr     x9, [sp, #80]
        str     x9, [x0]
        .if     \scalable
        add     x9, x0, #CALL_PREDICATE
        .irp    number, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15
        str     p\number, [x9, #\number, mul vl]
        .endr
        .if     \streaming == 0
        rdffr   p0.b
        str     p0, [x9, #16, mul vl]
        .endif
        mov     x9, #8
        whilelo p0.d, xzr, x9
        add     x9, x0, #CALL_VECTOR + 64 * 0
        st1d    {z0.d}, p0, [x9]
        add     x9, x0, #CALL_VECTOR + 64 * 1
        st1d    {z1.d}, p0, [x9]
        add     x9, x0, #CALL_VECTOR + 64 * 2
        st1d    {z2.d}, p0, [x9]
        add     x9, x0, #CALL_VECTOR + 64 * 3
        st1d    {z3.d}, p0, [x9]
        add     x9, x0, #CALL_VECTOR + 64 * 4
        st1d    {z4.d}, p0, [x9]
        add     x9, x0, #CALL_VECTOR + 64 * 5
        st1d    {z5.d}, p0, [x9]
        add     x9, x0, #CALL_VECTOR + 64 * 6
        st1d    {z6.d}, p0, [x9]
        add     x9, x0, #CALL_VECTOR + 64 * 7
        st1d    {z7.d}, p0, [x9]
        add     x9, x0, #CALL_VECTOR + 64 * 8
        st1d    {z8.d}, p0, [x9]
        add     x9, x0, #CALL_VECTOR + 64 * 9
        st1d    {z9.d}, p0, [x9]
        add     x9, x0, #CALL_VECTOR + 64 * 10
        st1d    {z10.d}, p0, [x9]
        add     x9, x0, #CALL_VECTOR + 64 * 11
        st1d    {z11.d}, p0, [x9]
        add     x9, x0, #CALL_VECTOR + 64 * 12
        st1d    {z12.d}, p0, [x9]
        add     x9, x0, #CALL_VECTOR + 64 * 13
        st1d    {z13.d}, p0, [x9]
        add     x9, x0, #CALL_VECTOR + 64 * 14
        st1d    {z14.d}, p0, [x9]
        add     x9, x0, #CALL_VECTOR + 64 * 15
        st1d    {z15.d}, p0, [x9]
        add     x9, x0, #CALL_VECTOR + 64 * 16
        st1d    {z16.d}, p0, [x9]
        add     x9, x0, #CALL_VECTOR + 64 * 17
        st1d    {z17.d}, p0, [x9]
        add     x9, x0, #CALL_VECTOR + 64 * 18
        st1d    {z18.d}, p0, [x9]
        add     x9, x0, #CALL_VECTOR + 64 * 19
        st1d    {z19.d}, p0, [x9]
        add     x9, x0, #CALL_VECTOR + 64 * 20
        st1d    {z20.d}, p0, [x9]
        add     x9, x0, #CALL_VECTOR + 64 * 21
        st1d    {z21.d}, p0, [x9]
        add     x9, x0, #CALL_VECTOR + 64 * 22
        st1d    {z22.d}, p0, [x9]
        add     x9, x0, #CALL_VECTOR + 64 * 23
        st1d    {z23.d}, p0, [x9]
        add     x9, x0, #CALL_VECTOR + 64 * 24
        st1d    {z24.d}, p0, [x9]
        add     x9, x0, #CALL_VECTOR + 64 * 25
        st1d    {z25.d}, p0, [x9]
        add     x9, x0, #CALL_VECTOR + 64 * 26
        st1d    {z26.d}, p0, [x9]
        add     x9, x0, #CALL_VECTOR + 64 * 27
        st1d    {z27.d}, p0, [x9]
        add     x9, x0, #CALL_VECTOR + 64 * 28
        st1d    {z28.d}, p0, [x9]
        add     x9, x0, #CALL_VECTOR + 64 * 29
        st1d    {z29.d}, p0, [x9]
        add     x9, x0, #CALL_VECTOR + 64 * 30
        st1d    {z30.d}, p0, [x9]
        add     x9, x0, #CALL_VECTOR + 64 * 31
        st1d    {z31.d}, p0, [x9]
        .else
        .irp    number, ALL
        str     q\number, [x0, #CALL_VECTOR + 64 * \number]
        .endr
        .endif
        .if     \streaming
        smstop  sm
        .endif
        .irp    word, 0,8,16,24,32,40,48,56
        ldr     x9, [sp, #\word]
        str     x9, [x0, #CALL_STACK + \word]
        .endr
        .irp    number, 8,9,10,11,12,13,14,15
        ldr     d\number, [sp, #192 + 8 * (\number - 8)]
        .endr
        .irp    number, 19,20,21,22,23,24,25,26,27,28
        ldr     x\number, [sp, #112 + 8 * (\number - 19)]
        .endr
        ldp     x29, x30, [sp, #96]
        add     sp, sp, #FRAME
        .cfi_def_cfa_offset 0
        ret
        .cfi_endproc
        .size   \name, . - \name
        .endm

        caller  stress_call_128, 0, 0
        caller  stress_call_scalable, 1, 0
        caller  stress_call_streaming, 1, 1

/* The bytes of a scalable vector. At most 64 bytes of a vector are saved. */
        .globl  stress_vector_bytes
        .type   stress_vector_bytes, %function
stress_vector_bytes:
        bti     c
        cbnz    w0, 1f
        rdvl    x0, #1
        ret
1:      rdsvl   x0, #1
        ret
        .size   stress_vector_bytes, . - stress_vector_bytes

/* Overwrites every vector and predicate register that exists, and ffr. */
        .globl  stress_trample_scalable
        .type   stress_trample_scalable, %function
stress_trample_scalable:
        bti     c
        .irp    number, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15
        pfalse  p\number\().b
        .endr
        wrffr   p0.b
        .irp    number, ALL
        dup     z\number\().b, #-86
        .endr
        ret
        .size   stress_trample_scalable, . - stress_trample_scalable

        .section .note.gnu.property,"a",%note
        .p2align 3
        .word   4, 16, 5
        .asciz  "GNU"
        .word   0xc0000000, 4, 1, 0
        .section .note.GNU-stack,"",%progbits
