/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Programs that a tool sends to a process under control (tprt/control_wire.h). A group
 * with the action TPRT_CONTROL_ACTION_AGGREGATE runs a program at each hit. The program
 * decides whether the hit counts, computes the keys of the row that the hit is added to,
 * and the value that is added. A recording can have programs, too
 * (TPRT_CONTROL_RECORD_ADD_PROGRAM): the program decides whether a call is recorded, and
 * its keys are the values that are recorded with the call. For readers in C and in C++.
 *
 * A program is a tprt_program_head, its operations, and a text of constants. It computes
 * with 16 registers of 64 bits. Jumps only lead forward, so a program ends after at most
 * TPRT_PROGRAM_MOST_OPERATIONS operations. The process checks each program before it runs
 * the program, and refuses a program that breaks a rule below.
 *
 * A value may be unknown: memory that cannot be read, the result of a call that ended
 * without an exit, or a division by 0. What is computed from an unknown value is unknown.
 * A floating-point value is a double, as the 64 bits of IEEE 754's format. Its quotient by
 * 0 is known.
 * A program at a single instruction or at a point runs at each hit there. It knows what it can
 * load from memory, and THREAD, FUNCTION, and REGISTER or POINT_VALUE. An attach whose `kinds`
 * are TPRT_KIND_SET_INSTRUCTION or TPRT_KIND_SET_POINT alone selects such hits.
 * An unknown condition (FILTER and the jumps) ends the program, and the hit is counted as
 * unread. An unknown key is a key of its own. A hit with an unknown VALUE is counted in
 * its row, but adds nothing to the row's sum.
 */
#ifndef TPRT_CONTROL_PROGRAM_H
#define TPRT_CONTROL_PROGRAM_H

#include <stdint.h>

/* The limits of one program. */
#define TPRT_PROGRAM_MOST_OPERATIONS 256
#define TPRT_PROGRAM_REGISTERS 16
/* Operations that read memory. */
#define TPRT_PROGRAM_MOST_READS 8
#define TPRT_PROGRAM_MOST_KEYS 4
/* The values that are kept from the entry of a call to its end. */
#define TPRT_PROGRAM_MOST_KEPT 4
/* The keys of a program of a recording. */
#define TPRT_PROGRAM_MOST_VALUES 8
/* The bytes that are read of one string, without its NUL. */
#define TPRT_PROGRAM_MOST_STRING 128
/* The bytes of the text of constants. */
#define TPRT_PROGRAM_MOST_TEXT 1024
/* The frames of the stacks of one program, all together. */
#define TPRT_PROGRAM_MOST_FRAMES 64

/* Bits of tprt_program_head.flags. */
enum tprt_program_flags {
  /* The program runs when a call ends, with the arguments that the call had. Otherwise it
   * runs at the entry of a function, and RESULT, DURATION and FLOAT_RESULT are refused. */
  TPRT_PROGRAM_AT_END = 1,
  /* The rows have histograms of VALUE. */
  TPRT_PROGRAM_HISTOGRAM = 2,
  /* VALUE is a double, and a NaN counts as unknown. The sum, the least and the greatest of a
   * row are doubles, too. All programs of a group have this flag, or none of them has it. A
   * program with this flag needs a VALUE, and cannot have HISTOGRAM. */
  TPRT_PROGRAM_FLOAT_VALUE = 4,
  /* Rows also have the time of their hits without that of the group's calls inside of them,
   * whether those count or not (TPRT_CONTROL_ROW_SELF). Only with AT_END, and not with pairs.
   * Earlier libraries refuse this flag. */
  TPRT_PROGRAM_SELF = 8,
  /* The operations up to the last KEEP run when the call begins, and the others when it
   * ends. The former have no KEY, KEY_STRING, KEY_BYTES, VALUE, FILTER, KEPT and ERROR, nor
   * what is known only at the end, and no jump leads out of them. The latter begin without a
   * register that is set. Only with AT_END. */
  TPRT_PROGRAM_KEEPS = 0x10,
  /* The program has addresses in modules that are loaded now. They stay loaded as long as
   * the group or the recording has the program, as those of KEY_STACK do. Earlier
   * libraries refuse this flag. */
  TPRT_PROGRAM_OF_MODULES = 0x20,

  /* Programs of pairs of hits, which have equal keys of 64 bits: one hit starts a pair, and a
   * later one, on any thread, ends it. STARTS_PAIR: the program has PAIR_START. ENDS_PAIR: it
   * has PAIR_END. Either all programs of a group have one of these flags, or none has. Rows
   * are those of programs that end pairs; programs that start pairs have no keys. */
  TPRT_PROGRAM_STARTS_PAIR = 0x100,
  TPRT_PROGRAM_ENDS_PAIR = 0x200,
  /* Rows are those of programs that start pairs, and have the pairs that have not ended; those
   * that end pairs have no keys. All programs of a group have this flag, or none of them has
   * it. A program with this flag has neither HISTOGRAM nor FLOAT_VALUE. */
  TPRT_PROGRAM_OPEN_PAIRS = 0x400
};

typedef struct tprt_program_head {
  uint32_t operations; /* how many tprt_program_operation follow */
  uint32_t text_bytes; /* of the text of constants, which follows the operations */
  uint32_t flags;      /* enum tprt_program_flags */
  uint32_t keys;       /* how many operations are keys (KEY and so on) */
} tprt_program_head;

/* In the comments below, `to`, `a` and `b` are the registers of these numbers. With
 * TPRT_PROGRAM_IMMEDIATE, b is the value of `number`, with its sign extended to 64 bits.
 * Unused members are 0. */
typedef struct tprt_program_operation {
  uint8_t code; /* enum tprt_program_code */
  uint8_t to, a, b;
  int32_t number;
} tprt_program_operation;

/* A bit of `code`, for the operations from ADD to LESS_EQUAL_UNSIGNED. */
#define TPRT_PROGRAM_IMMEDIATE 0x80

enum tprt_program_code {
  /* to = number, with its sign extended. */
  TPRT_PROGRAM_CONSTANT = 1,
  /* The upper half of `to` becomes `number`. */
  TPRT_PROGRAM_CONSTANT_HIGH = 2,
  /* to = a */
  TPRT_PROGRAM_COPY = 3,
  /* KEEP: keeps a for the end of the call, as value `number` (below
   * TPRT_PROGRAM_MOST_KEPT). KEPT: to = the value that was kept as `number`. It is unknown
   * if a was, or if no KEEP of this number has run. */
  TPRT_PROGRAM_KEEP = 4,
  TPRT_PROGRAM_KEPT = 5,

  /* The calls of other functions that are open around this call in its thread, at its
   * entry. They are those of a group with the action TPRT_CONTROL_ACTION_SCOPE: of the
   * requesting tool's groups with this action, in the order in which they were made, the
   * group `number` (0 or 1). INSIDE: 1 if one is open, or else 0. DEPTH: how many are
   * open. The call itself does not count. Unknown if the group has ended, or the thread
   * got no memory; DEPTH also if more than 4095 are open. Earlier libraries refuse these
   * operations. */
  TPRT_PROGRAM_INSIDE = 6,
  TPRT_PROGRAM_DEPTH = 7,

  /* What is known of the hit. ARGUMENT: the integer argument `number`, counted from 0, as
   * in tprt_regs_argument(). RESULT: the call's result: of `number` 0, tprt_regs_result(),
   * and of 1, the second result register (rdx, x1). DURATION: the call's duration in
   * nanoseconds. THREAD: the thread's number in the process's namespace. CALLER: the address
   * to which the call returns. FUNCTION: the number of the entry's site, as in LIST. ERROR:
   * errno; unknown where the result is. STACK_ARGUMENT: word `number` of 8 bytes, counted
   * from 0, of the arguments in memory, as it was at the entry. The words begin after the
   * return address on x86-64, and at the stack pointer on AArch64. */
  TPRT_PROGRAM_ARGUMENT = 8,
  TPRT_PROGRAM_RESULT = 9,
  TPRT_PROGRAM_DURATION = 10,
  TPRT_PROGRAM_THREAD = 11,
  TPRT_PROGRAM_CALLER = 12,
  TPRT_PROGRAM_FUNCTION = 13,
  TPRT_PROGRAM_ERROR = 14,
  TPRT_PROGRAM_STACK_ARGUMENT = 15,

  /* to = a OP b, modulo 2^64. A shift uses the lowest six bits of b. A comparison is 0 or
   * 1. A division by 0 is unknown. INT64_MIN / -1 is INT64_MIN, and its remainder is 0. */
  TPRT_PROGRAM_ADD = 16,
  TPRT_PROGRAM_SUBTRACT = 17,
  TPRT_PROGRAM_MULTIPLY = 18,
  TPRT_PROGRAM_DIVIDE = 19,
  TPRT_PROGRAM_DIVIDE_UNSIGNED = 20,
  TPRT_PROGRAM_REMAINDER = 21,
  TPRT_PROGRAM_REMAINDER_UNSIGNED = 22,
  TPRT_PROGRAM_AND = 23,
  TPRT_PROGRAM_OR = 24,
  TPRT_PROGRAM_XOR = 25,
  TPRT_PROGRAM_SHIFT_LEFT = 26,
  TPRT_PROGRAM_SHIFT_RIGHT = 27,
  TPRT_PROGRAM_SHIFT_RIGHT_UNSIGNED = 28,
  TPRT_PROGRAM_EQUAL = 29,
  TPRT_PROGRAM_NOT_EQUAL = 30,
  TPRT_PROGRAM_LESS = 31,
  TPRT_PROGRAM_LESS_UNSIGNED = 32,
  TPRT_PROGRAM_LESS_EQUAL = 33,
  TPRT_PROGRAM_LESS_EQUAL_UNSIGNED = 34,

  /* The lowest `number` bits of a (8, 16 or 32), with the sign or zeros before them. */
  TPRT_PROGRAM_SIGN_EXTEND = 40,
  TPRT_PROGRAM_ZERO_EXTEND = 41,

  /* Reads of memory. LOAD: to = the integer of b bytes (1, 2, 4 or 8) at the address
   * a + number, zero-extended. MATCH: to = whether the string at the address a matches a
   * glob of `*`, `?`, `[a-z]` and `[!a]`, compared bytewise. Unknown if the string is
   * longer than TPRT_PROGRAM_MOST_STRING, and its rest may decide. TEXT_EQUAL: to = whether
   * the string is equal to a text of at most TPRT_PROGRAM_MOST_STRING bytes. The glob or
   * text is a string of the text of constants, at the offset `number`. */
  TPRT_PROGRAM_LOAD = 48,
  TPRT_PROGRAM_MATCH = 49,
  TPRT_PROGRAM_TEXT_EQUAL = 50,
  /* Bounds the string that the next operation reads, which is MATCH, TEXT_EQUAL, KEY_STRING
   * or KEY_BYTES: if no NUL comes before, the string ends after a bytes. It is unknown if a
   * is. */
  TPRT_PROGRAM_BOUND = 51,

  /* Skip the next `number` operations: always, if a is 0, if a is not 0. No KEY, KEY_STRING,
   * KEY_BYTES, KEY_STACK, VALUE, FILTER or STOP_IF may be among the skipped operations. */
  TPRT_PROGRAM_JUMP = 56,
  TPRT_PROGRAM_JUMP_IF_ZERO = 57,
  TPRT_PROGRAM_JUMP_IF_NOT_ZERO = 58,

  /* If a is 0, the program ends, and the hit does not count. */
  TPRT_PROGRAM_FILTER = 64,
  /* The next key is the value of a. */
  TPRT_PROGRAM_KEY = 65,
  /* The next key is the string at the address a, at most `number` bytes of it
   * (1 to TPRT_PROGRAM_MOST_STRING). */
  TPRT_PROGRAM_KEY_STRING = 66,
  /* The value is a: a signed number, or with TPRT_PROGRAM_FLOAT_VALUE a double. Without this
   * operation it is 1. */
  TPRT_PROGRAM_VALUE = 67,
  /* The next key is the stack of the hit: at most `number` frames
   * (1 to TPRT_PROGRAM_MOST_FRAMES). */
  TPRT_PROGRAM_KEY_STACK = 68,

  /* If a is not 0, this hit counts, and it is the last one: no later hit of the process
   * counts in this group, or is recorded. With a `number` n above 1, it is so of hit n for
   * which a is not 0; those are counted over all threads, and exactly n of them count. An
   * unknown a ends the program as at FILTER. It comes after each FILTER that it is to
   * obey. Earlier libraries refuse it. */
  TPRT_PROGRAM_STOP_IF = 69,

  /* The next key is the bytes at the address a, whatever they are: a TEXT or CUT_TEXT. The
   * BOUND right before it, which has to be there, says how many, and at most `number` of
   * them (1 to TPRT_PROGRAM_MOST_STRING) are read. It is unknown if the BOUND is negative. */
  TPRT_PROGRAM_KEY_BYTES = 70,

  /* The lowest 64 bits of a vector register (xmm, v) of this `number`. FLOAT_ARGUMENT: 0 to
   * 7, as at the entry. FLOAT_RESULT: 0 and 1, on AArch64 0 to 3, as at the end of the call.
   * It is unknown and refused where RESULT is. */
  TPRT_PROGRAM_FLOAT_ARGUMENT = 90,
  TPRT_PROGRAM_FLOAT_RESULT = 91,

  /* to = a OP b, of doubles, rounded to nearest. A comparison is 0 or 1, and 0 with a NaN.
   * These have no TPRT_PROGRAM_IMMEDIATE. */
  TPRT_PROGRAM_FLOAT_ADD = 96,
  TPRT_PROGRAM_FLOAT_SUBTRACT = 97,
  TPRT_PROGRAM_FLOAT_MULTIPLY = 98,
  TPRT_PROGRAM_FLOAT_DIVIDE = 99,
  TPRT_PROGRAM_FLOAT_EQUAL = 100,
  TPRT_PROGRAM_FLOAT_LESS = 101,
  TPRT_PROGRAM_FLOAT_LESS_EQUAL = 102,

  /* FROM_SIGNED, FROM_UNSIGNED: to = the double nearest to the integer a. TO_SIGNED,
   * TO_UNSIGNED: to = the double a without its fraction, as an integer; unknown if it is a
   * NaN, or no integer of 64 bits has this value. FROM_SINGLE: to = the float in the lowest
   * 32 bits of a, as a double. TO_SINGLE: to = the float nearest to the double a, as 32 bits
   * with zeros before them. */
  TPRT_PROGRAM_FLOAT_FROM_SIGNED = 104,
  TPRT_PROGRAM_FLOAT_FROM_UNSIGNED = 105,
  TPRT_PROGRAM_FLOAT_TO_SIGNED = 106,
  TPRT_PROGRAM_FLOAT_TO_UNSIGNED = 107,
  TPRT_PROGRAM_FLOAT_FROM_SINGLE = 108,
  TPRT_PROGRAM_FLOAT_TO_SINGLE = 109,

  /* Only with STARTS_PAIR: a pair of the key a starts. The program has one PAIR_START, after
   * all other operations. A pair of this key that has not ended is replaced. The hit is unread
   * if a is unknown. PAIR_END: only with ENDS_PAIR, once. The pair of the key a ends, and
   * to = the nanoseconds since its start. If there is none, the program ends, and the hit is
   * counted as unpaired. The hit is unread if a is unknown. */
  TPRT_PROGRAM_PAIR_START = 112,
  TPRT_PROGRAM_PAIR_END = 113,

  /* REGISTER: only in a program at single instructions. The general register `number`, as
   * DWARF counts them: 0 to 15 on x86-64 (psABI, figure 3.36; 7 is rsp), 0 to 31 on AArch64
   * ("DWARF for the Arm 64-bit Architecture", section 4.1; 31 is sp). It has the value that
   * the instruction will read.
   * POINT_VALUE: only in a program at points. The argument `number`, counted from 0: a word
   * as enum tprt_argument_type describes it (tprt/table.h), extended to 64 bits. Unknown if
   * the point has no such argument. */
  TPRT_PROGRAM_REGISTER = 120,
  TPRT_PROGRAM_POINT_VALUE = 122
};

/* The keys of a row, as bytes. Each key is one byte of enum tprt_program_key_kind. A NUMBER
 * is followed by 8 bytes. A TEXT or CUT_TEXT is followed by one byte, the length, and
 * by that number of bytes. A STACK is followed by one byte, the number of frames, one byte
 * of enum tprt_program_stack_end, and 8 bytes for each frame: the address to which the call
 * of the frame before it returns, the innermost first. In a frame that a signal has
 * interrupted, it is the address of the interrupted instruction plus 1. */
enum tprt_program_key_kind {
  TPRT_PROGRAM_KEY_UNKNOWN = 0,
  TPRT_PROGRAM_KEY_NUMBER = 1,
  TPRT_PROGRAM_KEY_TEXT = 2,
  /* Only the beginning of a longer string. */
  TPRT_PROGRAM_KEY_CUT_TEXT = 3,
  TPRT_PROGRAM_KEY_STACK_FRAMES = 4
};

/* What comes after the last frame of a stack. */
enum tprt_program_stack_end {
  /* Nothing: the last frame is that of the thread's first function. */
  TPRT_PROGRAM_STACK_WHOLE = 0,
  /* More frames than the program asks for. */
  TPRT_PROGRAM_STACK_MORE = 1,
  /* Frames that cannot be found with certainty. */
  TPRT_PROGRAM_STACK_LOST = 2
};

#endif
