/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The sled table as it lies in an object file: the records of section
 * `tp_sleds`, the names of section `tp_names` and the descriptor of the notes
 * `.note.tp` that lead there. Included by the machine
 * pass that writes it and by the runtime that reads it; docs/table-abi.md is
 * the description for everyone else. Plain C11/C++17, no dependency, no code.
 *
 * All numbers are little-endian. Addresses are relative to the field that holds
 * them, so that a linked file needs no dynamic relocation for the table, or to
 * the record before, so that an object file has few.
 */
#ifndef TPRT_TABLE_H
#define TPRT_TABLE_H

#include <stdint.h>

/* Owner name (without its NUL) and type of the note.
 * The type is the version of the format: a reader skips types it does not know.
 */
#define TPRT_NOTE_NAME "tp"
#define TPRT_NOTE_SECTION ".note.tp"
#define TPRT_NOTE_GROUP "__tp_note_v1"
#define TPRT_TABLE_SECTION "tp_sleds"
#define TPRT_TABLE_VERSION 1

/* The names of functions with sleds, where the compiler was asked to keep them:
 * a second note, of this type, in a group of its own, leads to section
 * tp_names. It is an array of entries: an int32, the address of the function's
 * entry label minus the address of this field; the name as in the symbol table;
 * one to four zero bytes, so that the next entry is 4-byte aligned. */
#define TPRT_NAMES_GROUP "__tp_note_v2"
#define TPRT_NAMES_SECTION "tp_names"
#define TPRT_NAMES_VERSION 2

/* What a thread does at the sled: bits 0 and 1 of tprt_record.kind. */
enum tprt_record_event {
  TPRT_RECORD_ENTRY = 0,    /* the function was entered */
  TPRT_RECORD_EXIT = 1,     /* it is about to return */
  TPRT_RECORD_TAIL_EXIT = 2 /* it is about to jump to another function */
};

/* Which integer registers may hold an argument (entry) or a result (exit): bits
 * 2 and 3 of tprt_record.kind. A promise of the compiler, from the function's
 * signature; a handler's caller need not keep the others. */
enum tprt_record_live {
  TPRT_LIVE_ALL = 0,   /* no promise */
  TPRT_LIVE_ONE = 1,   /* at most the first: rdi, x0; of a result rax, x0 */
  TPRT_LIVE_THREE = 2, /* at most the first three */
  TPRT_LIVE_ARGUMENTS =
      3 /* the argument registers, but no static chain (r10), count of vectors
           (al) or address of the result (x8) */
};

/* What the disabled bytes are: bits 4 to 6 of tprt_record.kind. */
enum tprt_record_shape {
  TPRT_SHAPE_PLAIN = 0, /* nops with no room for a jump; flipped by trap only */
  TPRT_SHAPE_SHORT =
      1, /* x86-64: 66 90 at an even address, a slot before the entry label */
  TPRT_SHAPE_LONG =
      2, /* x86-64: 0f 1f 44 00 00 inside one aligned 8-byte word */
  TPRT_SHAPE_RET = 3, /* x86-64: c3 followed by four dead cc */
  TPRT_SHAPE_WORD = 4 /* AArch64: one 4-byte NOP */
};

/* Bit 7 of tprt_record.kind: no vector register holds an argument or a result.
 * Like enum tprt_record_live a promise. */
#define TPRT_RECORD_NO_VECTORS 128

#define TPRT_RECORD_KIND(event, shape) ((uint8_t)((event) | (shape) << 4))
#define TPRT_RECORD_EVENT(kind) ((kind) & 3)
#define TPRT_RECORD_LIVE(kind) ((kind) >> 2 & 3)
#define TPRT_RECORD_SHAPE(kind) ((kind) >> 4 & 7)

/* Bits of tprt_record.needs: what a handler must preserve at this sled beside
 * the general registers and the low 128 bits of the first eight vector ones. */
enum tprt_record_needs {
  TPRT_NEEDS_VEC256 = 1,    /* arguments or result in 256-bit vectors */
  TPRT_NEEDS_VEC512 = 2,    /* arguments or result in 512-bit vectors */
  TPRT_NEEDS_SCALABLE = 4,  /* SVE arguments or result */
  TPRT_NEEDS_STREAMING = 8, /* streaming mode or ZA state is live (SME) */
  TPRT_NEEDS_X87 = 16,      /* a result in st(0) or st(1) */
  TPRT_NEEDS_OTHER = 32, /* another calling convention: preserve everything */
  TPRT_RECORD_OPAQUE =
      64, /* compiled opaque: arguments and result may be changed */
  TPRT_RECORD_NEAR =
      128 /* sled and function are distances inside one text section */
};

/* One sled. 12 bytes, 4-byte aligned. */
struct tprt_record {
  int32_t sled; /* address of the sled minus the address of this field; if near,
                   minus the address of the sled of the record before */
  int32_t function; /* address of the entry label minus the address of this
                       field; if near, minus the address of the sled */
  uint8_t kind;     /* event, shape, and what is live */
  uint8_t size; /* bytes that may be overwritten at the sled; 255: or more */
  uint8_t slot; /* distance from the slot's first byte to the entry label; 0: no
                   slot */
  uint8_t needs; /* enum tprt_record_needs */
};

/* Descriptor of the note. Each field holds a symbol's address minus its own;
 * both symbols are weak, so a span of less than one record means no table. */
struct tprt_note_desc {
  int64_t start; /* __start_tp_sleds or __start_tp_names */
  int64_t stop;  /* __stop_tp_sleds or __stop_tp_names */
};

#ifdef __cplusplus
static_assert(sizeof(struct tprt_record) == 12, "bump TPRT_TABLE_VERSION");
static_assert(sizeof(struct tprt_note_desc) == 16, "bump TPRT_TABLE_VERSION");
#else
_Static_assert(sizeof(struct tprt_record) == 12, "bump TPRT_TABLE_VERSION");
_Static_assert(sizeof(struct tprt_note_desc) == 16, "bump TPRT_TABLE_VERSION");
#endif

#endif
