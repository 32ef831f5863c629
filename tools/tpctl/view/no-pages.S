// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Replaces pages.S in a build without npm: both pages are empty.
        .section .rodata
        .globl  tpctl_view_page, tpctl_view_page_end
        .globl  tpctl_diff_page, tpctl_diff_page_end
tpctl_view_page:
tpctl_view_page_end:
tpctl_diff_page:
tpctl_diff_page_end:
        .byte   0
        .section .note.GNU-stack,"",%progbits
