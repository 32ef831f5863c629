/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * COUNT functions of 16 bytes with a sled at the entry and one at the exit, and
 * their table, as tp writes them. A macro generates the functions, because
 * compiling millions of functions would take minutes. With NAMES each
 * function has a symbol. Only for x86-64.
 */
        .text
        .p2align 4
scale_functions:
        .rept   COUNT
        /* The slot and one byte; 66 90, the sled at the entry; lea 1(%rdi), %eax;
         * ret and four dead bytes, the sled at the exit. */
        .quad   0x9066cccccccccccc, 0xccccccccc301478d
        .endr

#ifdef NAMES
        .macro  name number
        .globl  function_of_scale_\number
        .type   function_of_scale_\number, @function
        .set    function_of_scale_\number, scale_functions + 16 * \number + 6
        .endm
        .rept   COUNT
        name    \+
        .endr
#endif

        /* A record (docs/reference/table-abi.md) has the sled, the function, and then
         * traits, size, slot and needs as one number. All records except the first have
         * distances from the previous record. */
        .section tp_sleds,"ao",@progbits,.text
        .p2align 2
        .long   scale_functions + 6 - ., scale_functions + 6 - ., 0x00050210
        .long   5, -5, 0x80000531
        .rept   COUNT - 1
        .long   11, 0, 0x80050210, 5, -5, 0x80000531
        .endr

        .weak   __start_tp_sleds
        .hidden __start_tp_sleds
        .weak   __stop_tp_sleds
        .hidden __stop_tp_sleds
        .section .note.tp,"a",@note
        .p2align 2
        .long   3, 16, 1
        .asciz  "tp"
        .p2align 2
        .quad   __start_tp_sleds - .
        .quad   __stop_tp_sleds - .
        .section .note.GNU-stack,"",@progbits
