/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The layout of the sled table in an object file:
 *  - the records of section `tp_sleds`;
 *  - the names of section `tp_names`;
 *  - the records of points, in section `tp_points`;
 *  - the descriptors of the notes `.note.tp`, which refer to these sections.
 * Two components include this file: the machine pass, which writes the table, and the runtime,
 * which reads it. docs/reference/table-abi.md describes the format for everyone else. Plain C11 and
 * C++17, without dependencies and without code.
 *
 * All numbers are little-endian. Some addresses are relative to the field that
 * holds them, so that a linked file needs no dynamic relocations for the table.
 * Others are relative to the record before, so that an object file has few
 * relocations.
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

/* The names of functions with sleds, if the compiler was requested to keep them.
 * A second note of this type, in a separate group, refers to section tp_names.
 * That section is an array of entries. An entry has three parts. The first is an
 * int32: the address of the function's entry label minus the address of this
 * field. The second is the name as in the symbol table. The third is one to four
 * zero bytes, so that the next entry is 4-byte aligned. */
#define TPRT_NAMES_GROUP "__tp_note_v2"
#define TPRT_NAMES_SECTION "tp_names"
#define TPRT_NAMES_VERSION 2

/* Points (tprt/trace.h): static branches, and the sleds of points, in section tp_points. They
 * have a separate note, which is like the table's note. An earlier format used types 3 and
 * 4. */
#define TPRT_POINTS_GROUP "__tp_note_v6"
#define TPRT_POINTS_SECTION "tp_points"
#define TPRT_POINTS_VERSION 6
/* The locations of the semaphores of points that are also USDT probes. */
#define TPRT_USDT_GROUP "__tp_note_v5"
#define TPRT_USDT_SECTION "tp_usdt"
#define TPRT_USDT_VERSION 5

/* What a thread does at the sled: bits 0 and 1 of tprt_record.traits. No record
 * of tp_sleds has TPRT_KIND_POINT. */
enum tprt_kind {
  /* The function was entered. */
  TPRT_KIND_ENTRY = 0,
  /* The function is about to return. */
  TPRT_KIND_EXIT = 1,
  /* The function is about to jump to another function. */
  TPRT_KIND_TAIL_EXIT = 2,
  /* A point inside a function is reached (tprt/trace.h). */
  TPRT_KIND_POINT = 3,
  /* A single instruction inside a function without sleds. This kind does not
   * occur in tables. */
  TPRT_KIND_INSTRUCTION = 4
};

/* Which integer registers may hold an argument (entry) or a result (exit): bits
 * 2 and 3 of tprt_record.traits. This is a promise of the compiler, derived from
 * the function's signature. Code that calls a handler need not save the other
 * registers. */
enum tprt_live {
  /* No promise. */
  TPRT_LIVE_ALL = 0,
  /* At most the first register: rdi, x0, r3; for a result rax, x0, r3. */
  TPRT_LIVE_ONE = 1,
  /* At most the first three registers. */
  TPRT_LIVE_THREE = 2,
  /* The argument registers, excluding the static chain (r10; r11 on PowerPC64), the
   * count of vectors (al) and the address of the result (x8). */
  TPRT_LIVE_ARGUMENTS = 3
};

/* The form of the disabled bytes: bits 4 to 6 of tprt_record.traits. */
enum tprt_shape {
  /* Nops without room for a jump. Only a trap can flip them. */
  TPRT_SHAPE_PLAIN = 0,
  /* x86-64: 66 90 at an even address, and a slot before the entry label. */
  TPRT_SHAPE_SHORT = 1,
  /* x86-64: 0f 1f 44 00 00 inside one aligned 8-byte word. */
  TPRT_SHAPE_LONG = 2,
  /* x86-64: c3 followed by four dead cc. */
  TPRT_SHAPE_RET = 3,
  /* AArch64, PowerPC64: one 4-byte NOP. */
  TPRT_SHAPE_WORD = 4
};

/* Bit 7 of tprt_record.traits: no vector register holds an argument or a result.
 * This bit is a promise, like enum tprt_live. */
#define TPRT_RECORD_NO_VECTORS 128

/* The value of tprt_record.traits for a kind and a shape, and its parts. */
#define TPRT_RECORD_TRAITS(kind, shape) ((uint8_t)((kind) | (shape) << 4))
#define TPRT_RECORD_KIND(traits) ((traits) & 3)
#define TPRT_RECORD_LIVE(traits) ((traits) >> 2 & 3)
#define TPRT_RECORD_SHAPE(traits) ((traits) >> 4 & 7)

/* Bits of tprt_record.needs: what a handler must preserve at this sled, in
 * addition to the general registers and the low 128 bits of the first eight
 * vector registers (PowerPC64: f1 to f13 and v2 to v13). */
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
  /* The function was compiled opaque: its arguments and result may be
   * changed. */
  TPRT_RECORD_OPAQUE = 64,
  /* Sled and function are given as distances inside one text section. */
  TPRT_RECORD_NEAR = 128
};

/* One sled. 12 bytes, 4-byte aligned. */
struct tprt_record {
  /* Address of the sled minus the address of this field. With TPRT_RECORD_NEAR,
   * minus the address of the previous record's sled. */
  int32_t sled;
  /* Address of the entry label minus the address of this field. With
   * TPRT_RECORD_NEAR, minus the address of the sled. */
  int32_t function;
  /* Kind, shape, and live registers: TPRT_RECORD_TRAITS. */
  uint8_t traits;
  /* Number of bytes that may be overwritten at the sled; 255 means 255 or
   * more. */
  uint8_t size;
  /* Distance from the slot's first byte to the entry label; 0 means no slot. On AArch64
   * the slot is six NOPs, which have room for code that jumps to any address. Exits may
   * have a slot, too. */
  uint8_t slot;
  /* enum tprt_needs, enum tprt_record_flags. */
  uint8_t needs;
};

/* Section tp_points holds records of two lengths, in any order. The first field of a
 * record identifies its kind. For a static branch the field refers to an address whose
 * low three bits are TPRT_BRANCH_MARK. A sled cannot have such an address, because it
 * lies in one aligned word of 8 bytes (x86-64), or is 4-byte aligned (AArch64). */
#define TPRT_BRANCH_MARK 7

/* A static branch: a nop in the hot code, which becomes a jump to the cold block. The cold
 * block evaluates a point's arguments and contains its sled. 12 bytes, 4-byte aligned. Each
 * field is an address minus the field's own. x86-64: TPRT_SHAPE_LONG; AArch64:
 * TPRT_SHAPE_WORD. */
struct tprt_branch_record {
  /* struct tprt_descriptor, plus TPRT_BRANCH_MARK. */
  int32_t descriptor;
  /* The nop. */
  int32_t branch;
  /* Target of the jump while the static branch is on. */
  int32_t target;
};

/* The sled of a point, of the same shape as a static branch. 4 bytes, 4-byte aligned.
 * TPRT_POINT_DESCRIPTOR_AT bytes after the sled's start lies an int32: the address of
 * the point's descriptor minus the int32's own address. */
struct tprt_point_sled_record {
  /* Address of the sled minus the address of this field. */
  int32_t sled;
};

#define TPRT_POINT_DESCRIPTOR_AT 8

/* One sled of a point that is also a USDT probe. 4 bytes, 4-byte aligned. */
struct tprt_usdt_record {
  /* Address of the point's object minus the address of this field. The object begins
   * with the semaphore, a uint16_t that tracers change. */
  int32_t point;
};

/* tprt_descriptor.version. */
#define TPRT_DESCRIPTOR_VERSION 1

/* The largest number of arguments. */
#define TPRT_MOST_ARGUMENTS 12

/* tprt_descriptor.style: how the format is written. */
enum tprt_point_style {
  /* A format such as "id=%u": TPRT_TRACE(). */
  TPRT_POINT_STYLE_PRINTF = 0,
  /* A format such as "id={}": TPRT_TRACEF(). */
  TPRT_POINT_STYLE_BRACES = 1,
  /* No format and no arguments: TPRT_POINT_ON(). */
  TPRT_POINT_STYLE_TEST = 2
};

/* The type of an argument: one letter. Each argument is one 64-bit word. The
 * bits of a word beyond the size of its type have no defined value. */
enum tprt_argument_type {
  TPRT_ARGUMENT_BOOL = 'b',
  TPRT_ARGUMENT_CHAR = 'c',
  TPRT_ARGUMENT_SIGNED_CHAR = 'a',
  TPRT_ARGUMENT_UNSIGNED_CHAR = 'h',
  TPRT_ARGUMENT_SHORT = 's',
  TPRT_ARGUMENT_UNSIGNED_SHORT = 't',
  TPRT_ARGUMENT_INT = 'i',
  TPRT_ARGUMENT_UNSIGNED = 'j',
  /* Any signed integer of 64 bits. */
  TPRT_ARGUMENT_LONG = 'l',
  /* Any unsigned integer of 64 bits. */
  TPRT_ARGUMENT_UNSIGNED_LONG = 'm',
  /* The word has the bits of the value as a double. */
  TPRT_ARGUMENT_FLOAT = 'f',
  TPRT_ARGUMENT_DOUBLE = 'd',
  /* A pointer to anything but characters. */
  TPRT_ARGUMENT_POINTER = 'p',
  /* The address of NUL-terminated characters, or NULL. */
  TPRT_ARGUMENT_STRING = 'z',
  /* The address of a struct tprt_characters. */
  TPRT_ARGUMENT_CHARACTERS = 'v'
};

/* The word of a TPRT_ARGUMENT_CHARACTERS points to this structure. */
struct tprt_characters {
  const char *begin;
  uint64_t size;
};

/* All letters of enum tprt_argument_type. */
#define TPRT_POINT_TYPES "bcahstijlmfdpzv"

/* The description of one TPRT_TRACE() or TPRT_POINT_ON() in a source file: one
 * constant object in .rodata, 8-byte aligned. Four texts follow without gaps, each
 * with its NUL: the letters of the arguments' types, the point's name, the format, the
 * file. */
typedef struct tprt_descriptor {
  /* TPRT_DESCRIPTOR_VERSION. */
  uint8_t version;
  /* enum tprt_point_style. */
  uint8_t style;
  uint8_t argument_count;
  /* 0. */
  uint8_t flags;
  uint32_t line;
  /* Lengths of the texts, each including its NUL. */
  uint16_t name_bytes;
  uint16_t format_bytes;
  uint16_t file_bytes;
  /* 0. */
  uint16_t reserved;
} tprt_descriptor;

/* The descriptor of a note. Each field contains a symbol's address minus the
 * field's own address. Both symbols are weak, so a span shorter than one record
 * means that there is no table. */
struct tprt_note_desc {
  /* __start_tp_sleds or __start_tp_names. */
  int64_t start;
  /* __stop_tp_sleds or __stop_tp_names. */
  int64_t stop;
};

#ifdef __cplusplus
static_assert(sizeof(struct tprt_record) == 12, "bump TPRT_TABLE_VERSION");
static_assert(sizeof(struct tprt_note_desc) == 16, "bump TPRT_TABLE_VERSION");
static_assert(sizeof(struct tprt_branch_record) == 12, "bump TPRT_POINTS_VERSION");
static_assert(sizeof(struct tprt_point_sled_record) == 4, "bump TPRT_POINTS_VERSION");
static_assert(sizeof(struct tprt_usdt_record) == 4, "bump TPRT_USDT_VERSION");
static_assert(sizeof(struct tprt_descriptor) == 16, "bump TPRT_DESCRIPTOR_VERSION");
static_assert(sizeof(struct tprt_characters) == 16, "bump TPRT_DESCRIPTOR_VERSION");
#else
_Static_assert(sizeof(struct tprt_record) == 12, "bump TPRT_TABLE_VERSION");
_Static_assert(sizeof(struct tprt_note_desc) == 16, "bump TPRT_TABLE_VERSION");
_Static_assert(sizeof(struct tprt_branch_record) == 12, "bump TPRT_POINTS_VERSION");
_Static_assert(sizeof(struct tprt_point_sled_record) == 4, "bump TPRT_POINTS_VERSION");
_Static_assert(sizeof(struct tprt_usdt_record) == 4, "bump TPRT_USDT_VERSION");
_Static_assert(sizeof(struct tprt_descriptor) == 16, "bump TPRT_DESCRIPTOR_VERSION");
_Static_assert(sizeof(struct tprt_characters) == 16, "bump TPRT_DESCRIPTOR_VERSION");
#endif

#endif
