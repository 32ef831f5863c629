// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pages of `tpctl view` as read-only data. The build gives their folder.
        .section .rodata
        .globl  tpctl_view_page, tpctl_view_page_end
        .globl  tpctl_diff_page, tpctl_diff_page_end
tpctl_view_page:
        .incbin "view.html"
tpctl_view_page_end:
tpctl_diff_page:
        .incbin "diff.html"
tpctl_diff_page_end:
        .section .note.GNU-stack,"",%progbits
