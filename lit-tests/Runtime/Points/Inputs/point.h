// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Handwritten points for tests of the runtime: the data that tprt/trace.h leaves in a
// program, without arguments and with two integer arguments. For clang.
//
//   POINT(name, "format", a, b);   if (POINT_ON(name)) ...
//   POINT_OBJECT(name); the object for tprt_point_enable()
#ifndef POINT_H
#define POINT_H

#include "tprt/table.h"

#include <stdint.h>

#ifdef __x86_64__
#define POINT_SYMBOL "s"
#define POINT_NOP ".p2align 3,,4\n.Lpoint%=: .byte 0x0f, 0x1f, 0x44, 0, 0\n"
#define POINT_LINK ".byte 0x0f, 0x1f, 0x80\n.long %c[site] - .\n"
#define POINT_CLOBBERS "r11", "cc", "memory"
#define POINT_FIRST "rdi"
#define POINT_SECOND "rsi"
#else
#define POINT_SYMBOL "S"
#define POINT_NOP ".Lpoint%=: nop\n"
#define POINT_LINK "b .+8\n.long %c[site] - .\n"
#define POINT_CLOBBERS "x16", "x17", "cc", "memory"
#define POINT_FIRST "x0"
#define POINT_SECOND "x1"
#endif

#define POINT_NOTE(type, section)                                              \
  ".ifndef .Lpoint_note_" type "\n"                                            \
  ".weak __start_" section "\n.hidden __start_" section "\n"                   \
  ".weak __stop_" section "\n.hidden __stop_" section "\n"                     \
  ".pushsection .note.tp,\"aGR\",@note,__tp_note_v" type ",comdat\n"           \
  ".balign 4\n.Lpoint_note_" type ": .long 3, 16, " type "\n"                  \
  ".asciz \"tp\"\n.balign 4\n"                                                 \
  ".quad __start_" section " - .\n.quad __stop_" section " - .\n"              \
  ".popsection\n.endif\n"
#define POINT_BRANCH                                                             \
  POINT_NOTE("6", "tp_points")                                                 \
  POINT_NOP ".pushsection tp_points,\"ao?\",@progbits,.Lpoint%=\n.balign 4\n"  \
            ".long %c[site] + 7 - ., .Lpoint%= - ., %l1 - .\n.popsection\n"
#define POINT_SLED                                                             \
  POINT_NOTE("6", "tp_points")                                                 \
  POINT_NOP POINT_LINK                                                         \
      ".pushsection tp_points,\"ao?\",@progbits,.Lpoint%=\n.balign 4\n"        \
      ".long .Lpoint%= - .\n.popsection\n"

#define POINT_DESCRIPTOR(name, style, count, letters, text)                    \
  static const struct {                                                        \
    struct tprt_descriptor head;                                               \
    char types[count + 1], own[sizeof #name], format[sizeof text];             \
    char file[sizeof __FILE__];                                                \
  } point_descriptor __attribute__((aligned(8))) = {                           \
      {TPRT_DESCRIPTOR_VERSION, style, count, 0, __LINE__, sizeof #name,       \
       sizeof text, sizeof __FILE__, 0},                                       \
      letters, #name, text, __FILE__}

#define POINT(name, text, a, b)                                                \
  do {                                                                         \
    __label__ cold, done;                                                      \
    POINT_DESCRIPTOR(name, TPRT_POINT_STYLE_PRINTF, 2, "ll", text);                  \
    __asm__ goto(POINT_BRANCH : : [site] POINT_SYMBOL(&point_descriptor)         \
                 : : cold);                                                    \
    goto done;                                                                 \
  cold:                                                                        \
    __attribute__((unused));                                                   \
    {                                                                          \
      register uint64_t first __asm__(POINT_FIRST) = (uint64_t)(a);            \
      register uint64_t second __asm__(POINT_SECOND) = (uint64_t)(b);          \
      __asm__ volatile(POINT_SLED                                              \
                       : : [site] POINT_SYMBOL(&point_descriptor),             \
                         "r"(first), "r"(second) : POINT_CLOBBERS);            \
    }                                                                          \
  done:;                                                                       \
  } while (0)

#define POINT_ON(name)                                                         \
  __extension__({                                                              \
    __label__ on, done;                                                        \
    int is_on = 0;                                                             \
    POINT_DESCRIPTOR(name, TPRT_POINT_STYLE_TEST, 0, "", "");                        \
    __asm__ goto(POINT_BRANCH : : [site] POINT_SYMBOL(&point_descriptor)         \
                 : : on);                                                      \
    goto done;                                                                 \
  on:                                                                          \
    is_on = 1;                                                                 \
  done:;                                                                       \
    is_on;                                                                     \
  })

struct point_object {
  uint16_t semaphore, version;
  char provider[28], name[64];
};
#define POINT_OBJECT(name)                                                     \
  struct point_object name = {0, 1, "", #name}

#endif
