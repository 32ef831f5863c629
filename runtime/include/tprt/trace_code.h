/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The code of a trace statement, for each processor: the static branch, the point sled, the
 * records that refer to both, and USDT notes. Part of trace.h; no other file includes this file.
 * docs/reference/table-abi.md describes the records. The C code of the statements is in trace.h.
 *
 *   static branch         nop                    on: jumps to the cold block
 *   ...
 *   cold block   arguments into registers
 *                nop                    USDT: what a tracer's breakpoint stands on
 *   point sled   nop                    on: jumps to libtprt, which comes back
 *                nop, descriptor - .    never changed; leads readers to the descriptor
 *                jump past the static branch
 *
 * The compiler may copy a static branch or a sled, as it copies any code. Each copy has its own
 * record.
 */
#ifndef TPRT_TRACE_CODE_H
#define TPRT_TRACE_CODE_H

#include <stdint.h>

/* How an operand names a static object in the assembly, so that the assembly can
 * compute the distance to the object. Position-independent code does not allow
 * the constraint "i". */
#if defined(__aarch64__)
#define TPRT_SYMBOL_CONSTRAINT_ "S"
#define TPRT_SYMBOL_(operand) "%c[" #operand "]"
#elif defined(__clang__)
#define TPRT_SYMBOL_CONSTRAINT_ "s"
#define TPRT_SYMBOL_(operand) "%c[" #operand "]"
#else
#define TPRT_SYMBOL_CONSTRAINT_ "X"
#define TPRT_SYMBOL_(operand) "%p[" #operand "]"
#endif

/* Where the values of a USDT probe may be: tracers read constants, memory and registers. If
 * clang may choose, it stores each value to memory. It also writes constants of AArch64 as
 * `#1`, which not all tracers read. */
#if !defined(__clang__)
#define TPRT_VALUE_CONSTRAINT_ "nor"
#define TPRT_VALUE_MODIFIER_ "%"
#elif defined(__x86_64__)
#define TPRT_VALUE_CONSTRAINT_ "nr"
#define TPRT_VALUE_MODIFIER_ "%"
#else
#define TPRT_VALUE_CONSTRAINT_ "r"
#define TPRT_VALUE_MODIFIER_ "%x"
#endif

/* A note that refers to a table. Each file of assembly has one. The linker keeps one per module.
 * An empty fragment of the table's section is linked to the note. This fragment makes the linker
 * define the section's bounds even if the linker discards every table. The fragment comes before
 * the first table: with --gc-sections GNU ld may keep the first section of that name because of
 * the note. */
#define TPRT_POINT_NOTE_(type, section)                                                \
  ".ifndef .Ltprt_note_" type "\n"                                                     \
  ".weak __start_" section "\n.hidden __start_" section "\n"                           \
  ".weak __stop_" section "\n.hidden __stop_" section "\n"                             \
  ".pushsection .note.tp,\"aGR\",@note,__tp_note_v" type ",comdat\n"                   \
  ".balign 4\n.Ltprt_note_" type ": .long 3, 16, " type "\n.asciz \"tp\"\n.balign 4\n" \
  ".quad __start_" section " - .\n.quad __stop_" section " - .\n"                      \
  ".pushsection " section ",\"ao?\",@progbits,.Ltprt_note_" type "\n.balign 4\n"       \
  ".popsection\n.popsection\n.endif\n"

/* A section of a table. The section is linked to the code's section, which contains the
 * label `neighbour`, and is a member of that section's group. So a linker drops both
 * together. */
#define TPRT_PUSH_TABLE_(section, neighbour) ".pushsection " section ",\"ao?\",@progbits," neighbour "\n.balign 4\n"

/* The records of a static branch and of its sled, in one section where that is possible: each
 * section adds 128 bytes to an object file, for itself and for its relocations. The sled and the
 * static branch are in two pieces of assembly that cannot use each other's labels. They have only
 * the statement's line in common. Assemblers distinguish sections of the same name by the label
 * next to which the section is placed. The first static branch of a line defines a label with the
 * line's name. The first sled of the line uses the same section, if no other static branch of the
 * line came between. All further copies have sections of their own. */
#define TPRT_LINE_ TPRT_LINE_TEXT_(__LINE__)
#define TPRT_LINE_TEXT_(line) TPRT_LINE_TEXT_AGAIN_(line)
#define TPRT_LINE_TEXT_AGAIN_(line) #line
#define TPRT_LINE_LABEL_ ".Ltprt_line" TPRT_LINE_
#define TPRT_MAKE_LINE_ ".ifndef " TPRT_LINE_LABEL_ "\n" TPRT_LINE_LABEL_ ":\n"
#define TPRT_AWAITED_ ".Ltprt_awaited" TPRT_LINE_
#define TPRT_AWAIT_(whether) ".set " TPRT_AWAITED_ ", " whether "\n"
#define TPRT_PUSH_LINE_ TPRT_PUSH_TABLE_("tp_points", TPRT_LINE_LABEL_)
#define TPRT_PUSH_OWN_ TPRT_PUSH_TABLE_("tp_points", ".Ltprt_at%=")

/* In an inline function of C++, the descriptor of a statement would be exported. 7
 * is TPRT_BRANCH_MARK. */
#define TPRT_GATE_FIELDS_ ".long " TPRT_SYMBOL_(tprt_site) " + 7 - ., .Ltprt_at%= - ., %l1 - .\n.popsection\n"
#define TPRT_HIDE_DESCRIPTOR_ ".hidden " TPRT_SYMBOL_(tprt_site) "\n"

/* clang-format off */

/* Writes the record of a static branch that has a sled. */
#define TPRT_GATE_RECORD_                              \
  TPRT_HIDE_DESCRIPTOR_                                \
  TPRT_MAKE_LINE_ TPRT_AWAIT_("1") TPRT_PUSH_LINE_     \
  ".else\n" TPRT_AWAIT_("0") TPRT_PUSH_OWN_ ".endif\n" \
  TPRT_GATE_FIELDS_

/* Writes the record of the static branch of TPRT_POINT_ON(), which has no sled. */
#define TPRT_TEST_RECORD_ TPRT_HIDE_DESCRIPTOR_ TPRT_PUSH_OWN_ TPRT_GATE_FIELDS_

#define TPRT_SLED_RECORD_                                     \
  TPRT_MAKE_LINE_ TPRT_AWAIT_("0") ".endif\n"                 \
  ".if " TPRT_AWAITED_ "\n" TPRT_AWAIT_("0") TPRT_PUSH_LINE_  \
  ".else\n" TPRT_PUSH_OWN_ ".endif\n"                         \
  ".long .Ltprt_at%= - .\n.popsection\n"

/* clang-format on */

#if defined(__x86_64__)

/* Five bytes inside one aligned 8-byte word: at most four bytes of padding. No
 * code jumps to the padding alone, so the padding is one nop of up to four
 * bytes. */
#define TPRT_NOP_ ".p2align 3,,4\n.Ltprt_at%=: .byte 0x0f, 0x1f, 0x44, 0, 0\n"
/* nopl disp32(%rax). The displacement refers to the descriptor. */
#define TPRT_DESCRIPTOR_REFERENCE_ ".byte 0x0f, 0x1f, 0x80\n.long " TPRT_SYMBOL_(tprt_site) " - .\n"
#define TPRT_SLED_CLOBBERS_ "r11", "cc", "memory"

/* The registers of a function's integer arguments (psABI x86-64 1.0, 3.2.3). Words
 * from the seventh on are in memory, and rax points to them. */
#define TPRT_IN_0_ , "D"(tprt_word_0)
#define TPRT_IN_1_ , "S"(tprt_word_1)
#define TPRT_IN_2_ , "d"(tprt_word_2)
#define TPRT_IN_3_ , "c"(tprt_word_3)
#define TPRT_IN_4_ , "r"(tprt_register_4)
#define TPRT_IN_5_ , "r"(tprt_register_5)
#define TPRT_IN_MEMORY_ , "a"(tprt_memory)
#define TPRT_TAKE_0_
#define TPRT_TAKE_1_
#define TPRT_TAKE_2_
#define TPRT_TAKE_3_
#define TPRT_TAKE_4_ register __typeof__(tprt_word_4) tprt_register_4 __asm__("r8") = tprt_word_4;
#define TPRT_TAKE_5_ register __typeof__(tprt_word_5) tprt_register_5 __asm__("r9") = tprt_word_5;
#define TPRT_TAKE_MEMORY_
#define TPRT_IN_6_
#define TPRT_IN_7_
#define TPRT_TAKE_6_
#define TPRT_TAKE_7_
#define TPRT_SPILLED_6_ TPRT_WIDE_(tprt_word_6),
#define TPRT_SPILLED_7_ TPRT_WIDE_(tprt_word_7),
#define TPRT_SPILLS_7_ YES_
#define TPRT_SPILLS_8_ YES_
#define TPRT_AT_0_ "@%%rdi"
#define TPRT_AT_1_ "@%%rsi"
#define TPRT_AT_2_ "@%%rdx"
#define TPRT_AT_3_ "@%%rcx"
#define TPRT_AT_4_ "@%%r8"
#define TPRT_AT_5_ "@%%r9"
#define TPRT_AT_6_ "@(%%rax)"
#define TPRT_AT_7_ "@8(%%rax)"
#define TPRT_AT_8_ "@16(%%rax)"
#define TPRT_AT_9_ "@24(%%rax)"
#define TPRT_AT_10_ "@32(%%rax)"
#define TPRT_AT_11_ "@40(%%rax)"

#elif defined(__aarch64__)

#define TPRT_NOP_ ".Ltprt_at%=: nop\n"
/* Code jumps over the distance, because no nop has room for one. */
#define TPRT_DESCRIPTOR_REFERENCE_ "b .+8\n.long " TPRT_SYMBOL_(tprt_site) " - .\n"
#define TPRT_SLED_CLOBBERS_ "x16", "x17", "cc", "memory"

/* The registers of a function's integer arguments (AAPCS64, 6.8.2). Words from the
 * ninth on are in memory, and x8 points to them. */
#define TPRT_IN_0_ , "r"(tprt_register_0)
#define TPRT_IN_1_ , "r"(tprt_register_1)
#define TPRT_IN_2_ , "r"(tprt_register_2)
#define TPRT_IN_3_ , "r"(tprt_register_3)
#define TPRT_IN_4_ , "r"(tprt_register_4)
#define TPRT_IN_5_ , "r"(tprt_register_5)
#define TPRT_IN_6_ , "r"(tprt_register_6)
#define TPRT_IN_7_ , "r"(tprt_register_7)
#define TPRT_IN_MEMORY_ , "r"(tprt_register_memory)
#define TPRT_TAKE_0_ register __typeof__(tprt_word_0) tprt_register_0 __asm__("x0") = tprt_word_0;
#define TPRT_TAKE_1_ register __typeof__(tprt_word_1) tprt_register_1 __asm__("x1") = tprt_word_1;
#define TPRT_TAKE_2_ register __typeof__(tprt_word_2) tprt_register_2 __asm__("x2") = tprt_word_2;
#define TPRT_TAKE_3_ register __typeof__(tprt_word_3) tprt_register_3 __asm__("x3") = tprt_word_3;
#define TPRT_TAKE_4_ register __typeof__(tprt_word_4) tprt_register_4 __asm__("x4") = tprt_word_4;
#define TPRT_TAKE_5_ register __typeof__(tprt_word_5) tprt_register_5 __asm__("x5") = tprt_word_5;
#define TPRT_TAKE_6_ register __typeof__(tprt_word_6) tprt_register_6 __asm__("x6") = tprt_word_6;
#define TPRT_TAKE_7_ register __typeof__(tprt_word_7) tprt_register_7 __asm__("x7") = tprt_word_7;
#define TPRT_SPILLED_6_
#define TPRT_SPILLED_7_
#define TPRT_SPILLS_7_ NO_
#define TPRT_SPILLS_8_ NO_
#define TPRT_TAKE_MEMORY_ register const uint64_t *tprt_register_memory __asm__("x8") = tprt_memory;
#define TPRT_AT_0_ "@x0"
#define TPRT_AT_1_ "@x1"
#define TPRT_AT_2_ "@x2"
#define TPRT_AT_3_ "@x3"
#define TPRT_AT_4_ "@x4"
#define TPRT_AT_5_ "@x5"
#define TPRT_AT_6_ "@x6"
#define TPRT_AT_7_ "@x7"
#define TPRT_AT_8_ "@[x8]"
#define TPRT_AT_9_ "@[x8, 8]"
#define TPRT_AT_10_ "@[x8, 16]"
#define TPRT_AT_11_ "@[x8, 24]"

#else
#error "points are made for x86-64 and AArch64"
#endif

/* The separator between the descriptions of arguments in a note. */
#define TPRT_GAP_0_ ""
#define TPRT_GAP_1_ " "
#define TPRT_GAP_2_ " "
#define TPRT_GAP_3_ " "
#define TPRT_GAP_4_ " "
#define TPRT_GAP_5_ " "
#define TPRT_GAP_6_ " "
#define TPRT_GAP_7_ " "
#define TPRT_GAP_8_ " "
#define TPRT_GAP_9_ " "
#define TPRT_GAP_10_ " "
#define TPRT_GAP_11_ " "

/* The words that are passed in memory on both processors, and those that are
 * passed in memory on neither. */
#define TPRT_IN_8_
#define TPRT_IN_9_
#define TPRT_IN_10_
#define TPRT_IN_11_
#define TPRT_TAKE_8_
#define TPRT_TAKE_9_
#define TPRT_TAKE_10_
#define TPRT_TAKE_11_
#define TPRT_SPILLED_0_
#define TPRT_SPILLED_1_
#define TPRT_SPILLED_2_
#define TPRT_SPILLED_3_
#define TPRT_SPILLED_4_
#define TPRT_SPILLED_5_
#define TPRT_SPILLED_8_ TPRT_WIDE_(tprt_word_8),
#define TPRT_SPILLED_9_ TPRT_WIDE_(tprt_word_9),
#define TPRT_SPILLED_10_ TPRT_WIDE_(tprt_word_10),
#define TPRT_SPILLED_11_ TPRT_WIDE_(tprt_word_11),
#define TPRT_SPILLS_0_ NO_
#define TPRT_SPILLS_1_ NO_
#define TPRT_SPILLS_2_ NO_
#define TPRT_SPILLS_3_ NO_
#define TPRT_SPILLS_4_ NO_
#define TPRT_SPILLS_5_ NO_
#define TPRT_SPILLS_6_ NO_
#define TPRT_SPILLS_9_ YES_
#define TPRT_SPILLS_10_ YES_
#define TPRT_SPILLS_11_ YES_
#define TPRT_SPILLS_12_ YES_

/* --- USDT ------------------------------------------------------------------ */

/* The provider's and the point's names, taken from the name of the point's symbol,
 * `tprt_point.PROVIDER.NAME`: characters of a C object cannot become assembly. */
#define TPRT_USDT_NAMES_                                                                                                            \
  ".set .Ltprt_dots, 0\n"                                                                                                           \
  ".irpc tprt_c, " TPRT_SYMBOL_(tprt_name) "\n"                                                                                     \
                                           ".ifc \\tprt_c,.\n.if .Ltprt_dots\n.byte 0\n.endif\n.set .Ltprt_dots, .Ltprt_dots + 1\n" \
                                           ".else\n.if .Ltprt_dots\n.ascii \"\\tprt_c\"\n.endif\n.endif\n"                          \
                                           ".endr\n.byte 0\n"

/* Refers libtprt to the semaphore of a point that is a USDT probe. This record
 * comes after the sled's label. */
#define TPRT_USDT_RECORD_                                \
  ".if %c[tprt_usdt]\n" TPRT_POINT_NOTE_("5", "tp_usdt") \
      TPRT_PUSH_TABLE_("tp_usdt", ".Ltprt_at%=") ".long " TPRT_SYMBOL_(tprt_name) " - .\n.popsection\n.endif\n"

/* The code before the sled, or instead of a sled, if the point is a USDT probe: a nop
 * and an SDT note of version 3 (SystemTap's UserSpaceProbeImplementation). The
 * addresses are absolute, as the section is not loaded. .stapsdt.base tells by how much
 * a prelinker moved them. A second nop follows the probe's own nop. Without it tracers
 * would use a nop of five bytes after the probe's nop, and a sled is such a nop. */
#define TPRT_USDT_(arguments)                                                                            \
  ".if %c[tprt_usdt]\n"                                                                                  \
  ".Ltprt_probe%=: nop\nnop\n"                                                                           \
  ".ifndef _.stapsdt.base\n"                                                                             \
  ".pushsection .stapsdt.base,\"aG\",@progbits,.stapsdt.base,comdat\n"                                   \
  ".weak _.stapsdt.base\n.hidden _.stapsdt.base\n"                                                       \
  "_.stapsdt.base: .space 1\n.size _.stapsdt.base, 1\n.popsection\n.endif\n"                             \
  ".pushsection .note.stapsdt,\"?\",@note\n.balign 4\n"                                                  \
  ".long 8, .Ltprt_end%= - .Ltprt_begin%=, 3\n.asciz \"stapsdt\"\n"                                      \
  ".Ltprt_begin%=: .quad .Ltprt_probe%=, _.stapsdt.base, " TPRT_SYMBOL_(tprt_name) "\n" TPRT_USDT_NAMES_ \
                                                                                   ".asciz \"" arguments "\"\n.Ltprt_end%=: .balign 4\n.popsection\n.endif\n"

#endif
