// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instrumented functions of x86-64 without the compiler, and their table: each function has a slot, a sled at the entry and
// a sled at the exit. `others` is one less than `functions`; both are strings.
#define MANY_SLEDS(functions, others)                                                                                             \
  __asm__(".text\n"                                                                                                               \
          ".p2align 4\n"                                                                                                          \
          "first: .rept " functions "\n"                                                                                          \
          ".quad 0x9066cccccccccccc, 0xccccccccc301478d\n"                                                                        \
          ".endr\n"                                                                                                               \
          ".section tp_sleds,\"ao\",@progbits,.text\n"                                                                            \
          ".p2align 2\n"                                                                                                          \
          ".long first + 6 - ., first + 6 - ., 0x00050210, 5, -5, 0x80000531\n"                                                   \
          ".rept " others "\n"                                                                                                    \
          ".long 11, 0, 0x80050210, 5, -5, 0x80000531\n"                                                                          \
          ".endr\n"                                                                                                               \
          ".section .note.tp,\"a\",@note\n"                                                                                       \
          ".p2align 2\n"                                                                                                          \
          ".long 3, 16, 1\n"                                                                                                      \
          ".asciz \"tp\"\n"                                                                                                       \
          ".p2align 2\n"                                                                                                          \
          ".quad __start_tp_sleds - .\n"                                                                                          \
          ".quad __stop_tp_sleds - .\n"                                                                                           \
          ".text\n")
