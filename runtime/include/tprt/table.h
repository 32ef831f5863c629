/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The sled table as it lies in an object file: the records of section
 * `tp_sleds`, the names of section `tp_names` and the descriptor of the notes
 * `.note.tp` that lead to both. The machine pass that writes the table and the
 * runtime that reads it include this file; docs/table-abi.md is the description
 * for everyone else. Plain C11 and C++17, no dependency, no code.
 *
 * All numbers are little-endian. An address is relative to the field that holds
 * it, so that a linked file needs no dynamic relocation for the table, or to
 * the record before, so that an object file has few relocations.
 */
#ifndef TPRT_TABLE_H
#define TPRT_TABLE_H

#include <stdint.h>

/* Owner name (without its NUL) and type of the note. The type is the version of
 * the format: a reader skips types that it does not know. */
#define TPRT_NOTE_NAME "tp"
#define TPRT_NOTE_SECTION ".note.tp"
#define TPRT_NOTE_GROUP "__tp_note_v1"
#define TPRT_TABLE_SECTION "tp_sleds"
#define TPRT_TABLE_VERSION 1

/* The names of functions with sleds, where the compiler was asked to keep them:
 * a second note, of this type, in a group of its own, leads to section
 * tp_names. That section is an array of entries. An entry is an int32, the
 * address of the function's entry label minus the address of this field; the name
 * as in the symbol table; and one to four zero bytes, so that the next entry is
 * 4-byte aligned. */
#define TPRT_NAMES_GROUP "__tp_note_v2"
#define TPRT_NAMES_SECTION "tp_names"
#define TPRT_NAMES_VERSION 2

/* What a thread does at the sled: bits 0 and 1 of tprt_record.traits. */
enum tprt_kind {
  /* The function was entered. */
  TPRT_KIND_ENTRY = 0,
  /* The function is about to return. */
  TPRT_KIND_EXIT = 1,
  /* The function is about to jump to another function. */
  TPRT_KIND_TAIL_EXIT = 2
};

/* Which integer registers may hold an argument (entry) or a result (exit): bits
 * 2 and 3 of tprt_record.traits. This is a promise of the compiler, from the
 * function's signature; a handler's caller need not keep the other registers. */
enum tprt_live {
  /* No promise. */
  TPRT_LIVE_ALL = 0,
  /* At most the first: rdi, x0; of a result rax, x0. */
  TPRT_LIVE_ONE = 1,
  /* At most the first three. */
  TPRT_LIVE_THREE = 2,
  /* The argument registers, but no static chain (r10), count of vectors (al) or
   * address of the result (x8). */
  TPRT_LIVE_ARGUMENTS = 3
};

/* What the disabled bytes are: bits 4 to 6 of tprt_record.traits. */
enum tprt_shape {
  /* Nops with no room for a jump, flipped by a trap only. */
  TPRT_SHAPE_PLAIN = 0,
  /* x86-64: 66 90 at an even address, and a slot before the entry label. */
  TPRT_SHAPE_SHORT = 1,
  /* x86-64: 0f 1f 44 00 00 inside one aligned 8-byte word. */
  TPRT_SHAPE_LONG = 2,
  /* x86-64: c3 followed by four dead cc. */
  TPRT_SHAPE_RET = 3,
  /* AArch64: one 4-byte NOP. */
  TPRT_SHAPE_WORD = 4
};

/* Bit 7 of tprt_record.traits: no vector register holds an argument or a result.
 * A promise, as enum tprt_live is. */
#define TPRT_RECORD_NO_VECTORS 128

/* tprt_record.traits of a kind and a shape, and the parts of it. */
#define TPRT_RECORD_TRAITS(kind, shape) ((uint8_t)((kind) | (shape) << 4))
#define TPRT_RECORD_KIND(traits) ((traits) & 3)
#define TPRT_RECORD_LIVE(traits) ((traits) >> 2 & 3)
#define TPRT_RECORD_SHAPE(traits) ((traits) >> 4 & 7)

/* Bits of tprt_record.needs: what a handler must preserve at this sled beside
 * the general registers and the low 128 bits of the first eight vector ones. */
enum tprt_needs {
  /* Arguments or result in 256-bit vectors. */
  TPRT_NEEDS_VEC256 = 1,
  /* Arguments or result in 512-bit vectors. */
  TPRT_NEEDS_VEC512 = 2,
  /* SVE arguments or result. */
  TPRT_NEEDS_SCALABLE = 4,
  /* Streaming mode or ZA state is live (SME). */
  TPRT_NEEDS_STREAMING = 8,
  /* A result in st(0) or st(1). */
  TPRT_NEEDS_X87 = 16,
  /* Another calling convention: preserve everything. */
  TPRT_NEEDS_OTHER = 32
};

/* Further bits of tprt_record.needs. */
enum tprt_record_flags {
  /* Compiled opaque: arguments and result may be changed. */
  TPRT_RECORD_OPAQUE = 64,
  /* Sled and function are distances inside one text section. */
  TPRT_RECORD_NEAR = 128
};

/* One sled. 12 bytes, 4-byte aligned. */
struct tprt_record {
  /* Address of the sled minus the address of this field. With TPRT_RECORD_NEAR,
   * minus the address of the sled of the record before. */
  int32_t sled;
  /* Address of the entry label minus the address of this field. With
   * TPRT_RECORD_NEAR, minus the address of the sled. */
  int32_t function;
  /* Kind, shape, and what is live: TPRT_RECORD_TRAITS. */
  uint8_t traits;
  /* Bytes that may be overwritten at the sled; 255: or more. */
  uint8_t size;
  /* Distance from the slot's first byte to the entry label; 0: no slot. */
  uint8_t slot;
  /* enum tprt_needs, enum tprt_record_flags. */
  uint8_t needs;
};

/* Descriptor of the note. Each field holds a symbol's address minus its own.
 * Both symbols are weak, so a span of less than one record means no table. */
struct tprt_note_desc {
  /* __start_tp_sleds or __start_tp_names. */
  int64_t start;
  /* __stop_tp_sleds or __stop_tp_names. */
  int64_t stop;
};

#ifdef __cplusplus
static_assert(sizeof(struct tprt_record) == 12, "bump TPRT_TABLE_VERSION");
static_assert(sizeof(struct tprt_note_desc) == 16, "bump TPRT_TABLE_VERSION");
#else
_Static_assert(sizeof(struct tprt_record) == 12, "bump TPRT_TABLE_VERSION");
_Static_assert(sizeof(struct tprt_note_desc) == 16, "bump TPRT_TABLE_VERSION");
#endif

#endif
