/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The layout of a recording in a file: header, blocks, event words and records. Two
 * components include this file: the recorder of libtprt, which writes such files, and the
 * library in tools/trace/, which reads them. docs/reference/trace-format.md describes the
 * format for everyone else, and the order in which a recorder stores the data. Plain C11
 * and C++17, without dependencies and without code.
 *
 * All numbers are little-endian. A recorder maps the file and writes to the
 * mapping, so every structure is naturally aligned.
 */
#ifndef TPRT_TRACE_FILE_H
#define TPRT_TRACE_FILE_H

#include <stdint.h>

/* The first eight bytes of a file, and the number that identifies its byte
 * order. */
#define TPRT_TRACE_MAGIC "tptrace\032"
#define TPRT_TRACE_BYTE_ORDER 0x01020304

/* A reader refuses files of another major version. A minor version adds only
 * data that older readers skip. */
#define TPRT_TRACE_MAJOR 1
#define TPRT_TRACE_MINOR 3

/* The size of the header in bytes, and the bounds of a block's size. */
#define TPRT_TRACE_HEADER_BYTES 4096
#define TPRT_TRACE_LEAST_BLOCK 4096
#define TPRT_TRACE_MOST_BLOCK 16777216

/* tprt_trace_header.required: features without which a file cannot be read. */
enum tprt_trace_required {
  /* The blocks are stored in packs. */
  TPRT_TRACE_REQUIRED_PACKED = 1
};

/* tprt_trace_header.mode: what the recorder does when all blocks are used. */
enum tprt_trace_mode {
  /* The oldest block is reused. */
  TPRT_TRACE_MODE_NEWEST = 1,
  /* The file grows. */
  TPRT_TRACE_MODE_ALL = 2,
  /* Recording stops. */
  TPRT_TRACE_MODE_UNTIL_FULL = 3
};

/* tprt_trace_header.clock: the kind of counter. */
enum tprt_trace_clock {
  /* x86-64's time stamp counter. */
  TPRT_TRACE_CLOCK_TSC = 1,
  /* AArch64's CNTVCT_EL0. */
  TPRT_TRACE_CLOCK_CNTVCT = 2,
  /* CLOCK_MONOTONIC in nanoseconds. */
  TPRT_TRACE_CLOCK_MONOTONIC = 3
};

/* tprt_trace_header.state. */
enum tprt_trace_state {
  /* The file is being written, or its writer was killed. */
  TPRT_TRACE_STATE_OPEN = 1,
  /* The fields at the end of the header are filled in. The file does not change
   * any more. */
  TPRT_TRACE_STATE_CLOSED = 2
};

/* Why a recording, or one process of it, ended. */
enum tprt_trace_end {
  TPRT_TRACE_END_UNKNOWN = 0,
  /* The program ended. */
  TPRT_TRACE_END_EXIT = 1,
  /* The recorder was requested to stop. */
  TPRT_TRACE_END_STOPPED = 2,
  /* All blocks are used, in mode UNTIL_FULL. */
  TPRT_TRACE_END_FULL = 3,
  /* A signal ended the program. */
  TPRT_TRACE_END_SIGNAL = 4,
  /* The program replaced itself by exec. */
  TPRT_TRACE_END_EXEC = 5,
  /* The file could not grow: the disk is full, or a limit was reached. */
  TPRT_TRACE_END_NO_SPACE = 6,
  /* The file is a snapshot of a recording that continues. */
  TPRT_TRACE_END_SNAPSHOT = 7
};

/* The same moment on three clocks. */
struct tprt_trace_moment {
  /* The counter that is used in event words. */
  uint64_t counter;
  /* CLOCK_MONOTONIC and CLOCK_REALTIME in nanoseconds. */
  uint64_t monotonic;
  uint64_t realtime;
};

/* The header, at offset 0 of the file. It includes all bytes up to
 * TPRT_TRACE_HEADER_BYTES. */
struct tprt_trace_header {
  /* TPRT_TRACE_MAGIC without its terminating zero. */
  char magic[8];
  /* TPRT_TRACE_BYTE_ORDER. */
  uint32_t byte_order;
  uint16_t major;
  uint16_t minor;
  /* enum tprt_trace_required; a reader refuses bits that it does not know. */
  uint32_t required;
  /* A reader ignores bits that it does not know. */
  uint32_t optional;
  /* Size of every block: a power of two. */
  uint32_t block_bytes;
  /* enum tprt_trace_mode. */
  uint32_t mode;
  /* Offset of the first block, or of the first pack. */
  uint64_t first_block;
  /* Number of blocks that the file has space for. 0 in a packed file. */
  uint64_t blocks;
  /* enum tprt_trace_clock. */
  uint32_t clock;
  /* The ELF machine number of the program: 62 x86-64, 183 AArch64. */
  uint32_t machine;
  /* The counter's rate as stated by the processor or the system; 0 means
   * unknown. */
  uint64_t clock_hz;
  /* When recording began. */
  struct tprt_trace_moment start;
  /* When recording ended, if state is CLOSED. */
  struct tprt_trace_moment end;
  /* enum tprt_trace_state, enum tprt_trace_end. */
  uint32_t state;
  uint32_t end_reason;
  /* Events lost by threads that had no block. */
  uint64_t lost;
  /* The process that made the file, and its parent. */
  uint32_t pid;
  uint32_t parent_pid;
  /* Zero-terminated strings: the kernel's boot id, the host's name, the
   * writer's name and version. */
  char boot_id[40];
  char host[72];
  char producer[64];
  /* Private to the recorder: counters that its processes share. */
  uint64_t private_words[64];
  /* Calls that were not recorded, because the condition of their program was unknown
   * (TPRT_TRACE_COMPUTED). 0 in format 1.1. */
  uint64_t unread;
};

/* tprt_trace_block.magic: "tpbk". */
#define TPRT_TRACE_BLOCK_MAGIC 0x6b627074

/* tprt_trace_block.kind. */
enum tprt_trace_block_kind {
  /* Event words of a thread. */
  TPRT_TRACE_BLOCK_EVENTS = 1,
  /* Records. */
  TPRT_TRACE_BLOCK_RECORDS = 2
};

/* tprt_trace_block.state. */
enum tprt_trace_block_state {
  /* Never used, or released. */
  TPRT_TRACE_BLOCK_FREE = 0,
  /* Being cleared for its next use. Its content is not valid. */
  TPRT_TRACE_BLOCK_CLEARING = 1,
  /* In use. */
  TPRT_TRACE_BLOCK_OPEN = 2,
  /* The block is not written any more, and `used` is final. */
  TPRT_TRACE_BLOCK_FULL = 3
};

/* tprt_trace_block.flags. */
enum tprt_trace_block_flags {
  /* The block has SEGMENT words: several threads used it one after another. */
  TPRT_TRACE_BLOCK_SHARED = 1
};

/* tprt_trace_block.depth: unknown. */
#define TPRT_TRACE_DEPTH_UNKNOWN 0xffffffff

/* At the beginning of each block. */
struct tprt_trace_block {
  /* TPRT_TRACE_BLOCK_MAGIC. */
  uint32_t magic;
  uint16_t kind;
  uint16_t state;
  /* Number of this use of a block in the file, from 1. No number occurs
   * twice. */
  uint64_t sequence;
  /* The counter when a thread claimed the block. The first word's time is relative
   * to it. */
  uint64_t counter;
  /* The process's number in the file, from 1, and its pid. */
  uint32_t process;
  uint32_t pid;
  /* The thread's number in the file, from 1, and its tid. 0 in record blocks. */
  uint32_t thread;
  uint32_t tid;
  /* Number of this block among the blocks of its thread, from 0. */
  uint32_t order;
  /* Number of complete bytes after this header. 0 in an open event block. */
  uint32_t used;
  /* Events that the thread has lost since its beginning. The recorder keeps this
   * number current while the thread uses the block. */
  uint64_t lost;
  /* Calls that were open when the thread claimed the block, or
   * DEPTH_UNKNOWN. */
  uint32_t depth;
  /* enum tprt_trace_block_flags. */
  uint32_t flags;
};

/* What kind of event a word records: bits 0 and 1. */
enum tprt_trace_what {
  /* Not an event but an extension word, whose type is in bits 2 to 7. */
  TPRT_TRACE_EXTENSION = 0,
  /* A call began. The exit of this call is recorded, too. */
  TPRT_TRACE_ENTRY = 1,
  /* A call ended, by a return or by a tail call. */
  TPRT_TRACE_EXIT = 2,
  /* A call began, and its exit is not recorded. */
  TPRT_TRACE_VISIT = 3
};

/* Parts of an event word. */
#define TPRT_TRACE_SITE_SHIFT 2
#define TPRT_TRACE_SITE_BITS 22
#define TPRT_TRACE_TIME_SHIFT 24
#define TPRT_TRACE_TIME_BITS 40

/* Parts of an extension word, in addition to the time. */
#define TPRT_TRACE_TYPE_SHIFT 2
#define TPRT_TRACE_TYPE_BITS 6
#define TPRT_TRACE_COUNT_SHIFT 8
#define TPRT_TRACE_COUNT_BITS 16

/* The longest step forward between the times of two words, as a power of two of
 * ticks, and the longest step backward. */
#define TPRT_TRACE_STEP_BITS 39
#define TPRT_TRACE_BACK_BITS 36

/* Types of extension words. */
enum tprt_trace_extension {
  /* 1 word: the whole counter. */
  TPRT_TRACE_TIME = 1,
  /* Reserved for words that are not written yet. */
  TPRT_TRACE_RESERVED = 2,
  /* 1 word: an event of a site whose number needs more than 22 bits. */
  TPRT_TRACE_WIDE = 3,
  /* Arguments or result of the event immediately before. */
  TPRT_TRACE_VALUES = 4,
  /* A point was reached: its number in bits 0-31 and its site's number in bits
   * 32-63, then its arguments. */
  TPRT_TRACE_POINT = 5,
  /* 1 word: the number passed to tprt_record_mark. */
  TPRT_TRACE_MARK = 6,
  /* 1 word: how many events were lost here. */
  TPRT_TRACE_LOST = 7,
  /* 3 words: a tprt_trace_moment. */
  TPRT_TRACE_CLOCK = 8,
  /* The thread's name from this word on. */
  TPRT_TRACE_THREAD_NAME = 9,
  /* 4 words: from this word on the block belongs to another thread. */
  TPRT_TRACE_SEGMENT = 10,
  /* 1 word: the thread forked. */
  TPRT_TRACE_FORK = 11,
  /* The thread is about to call exec. The words contain the path. */
  TPRT_TRACE_EXEC = 12,
  /* 1 word: the thread continues with another stack. */
  TPRT_TRACE_SWITCH = 13,
  /* The thread ended. */
  TPRT_TRACE_THREAD_END = 14,
  /* 1 word: an exception or longjmp ended the thread's calls that were inside
   * of a function. The word is the address where that function begins. */
  TPRT_TRACE_UNWOUND = 15,
  /* A call that was recorded only at its end: 3 words of a tprt_trace_whole_call. The time
   * is that of the end. Calls that it made, and that are recorded, come before it. */
  TPRT_TRACE_WHOLE_CALL = 16,
  /* The values that a program (tprt/control_program.h) has computed for the event right
   * before this one: the number of a VALUES record, then the values. Their forms are in
   * bits 24-63, as in TPRT_TRACE_VALUES. A value without a word is unknown. */
  TPRT_TRACE_COMPUTED = 17
};

/* The words of TPRT_TRACE_WHOLE_CALL. */
struct tprt_trace_whole_call {
  /* The site of the call's entry. */
  uint32_t site;
  /* enum tprt_trace_call_end. */
  uint32_t end;
  /* The counter when the call began. */
  uint64_t start;
  /* Ticks of the calls that it made directly, and that are recorded. */
  uint64_t inner;
};

enum tprt_trace_call_end {
  TPRT_TRACE_CALL_RETURNED = 0,
  /* The function jumped to another one. */
  TPRT_TRACE_CALL_TAIL = 1,
  /* Without an exit: by an exception or a longjmp. The time is when this was noticed. */
  TPRT_TRACE_CALL_LEFT = 2
};

/* Bit 63 of UNWOUND's address: the address may lie anywhere inside of the
 * function. */
#define TPRT_TRACE_INSIDE_BIT 63

/* The forms of captured values, four bits each. */
enum tprt_trace_form {
  /* No further value. */
  TPRT_TRACE_FORM_END = 0,
  /* The value was not captured. It has no word. */
  TPRT_TRACE_FORM_NONE = 1,
  /* 1 word: a register, signed, unsigned or an address. */
  TPRT_TRACE_FORM_SIGNED = 2,
  TPRT_TRACE_FORM_UNSIGNED = 3,
  TPRT_TRACE_FORM_ADDRESS = 4,
  /* 1 word: the bits of a double. */
  TPRT_TRACE_FORM_DOUBLE = 5,
  /* A string: 1 word with its length in bytes, then the bytes. */
  TPRT_TRACE_FORM_STRING = 6,
  /* 1 word: the address of a string that could not be read. */
  TPRT_TRACE_FORM_UNREADABLE = 7,
  /* A stack: 1 word with the number of frames in bits 0-7 and enum tprt_program_stack_end
   * (tprt/control_program.h) in bits 8-15, then 1 word for each frame: the address to which
   * the call returns, the innermost first. */
  TPRT_TRACE_FORM_STACK = 8
};

/* The number of forms in one VALUES word, and the shift of the first. */
#define TPRT_TRACE_FORMS 10
#define TPRT_TRACE_FORM_BITS 4

/* Bit 63 of a string's length: the string was longer than the recorded
 * bytes. */
#define TPRT_TRACE_STRING_CUT_BIT 63

/* tprt_trace_record.type. */
enum tprt_trace_record_type {
  TPRT_TRACE_RECORD_PROCESS = 1,
  TPRT_TRACE_RECORD_MODULE = 2,
  TPRT_TRACE_RECORD_SITES = 3,
  TPRT_TRACE_RECORD_POINTS = 4,
  TPRT_TRACE_RECORD_UNLOADED = 5,
  TPRT_TRACE_RECORD_CLOCK = 6,
  TPRT_TRACE_RECORD_PROCESS_END = 7,
  TPRT_TRACE_RECORD_NOTE = 8,
  TPRT_TRACE_RECORD_VALUES = 9
};

/* At the beginning of each record. */
struct tprt_trace_record {
  /* Size of the record, including this header: a multiple of 8. */
  uint32_t bytes;
  /* enum tprt_trace_record_type; a reader skips types that it does not know. */
  uint16_t type;
  uint16_t reserved;
};

/* tprt_trace_process.origin. */
enum tprt_trace_origin {
  /* The process already ran when recording began. */
  TPRT_TRACE_ORIGIN_START = 1,
  /* The process was forked from a recorded process. */
  TPRT_TRACE_ORIGIN_FORK = 2,
  /* A recorded process became this process by exec. */
  TPRT_TRACE_ORIGIN_EXEC = 3
};

/* PROCESS: a process whose blocks are in this file. Strings after it: the
 * executable's path and the command line, each with its zero. */
struct tprt_trace_process {
  struct tprt_trace_record record;
  uint32_t process;
  uint32_t pid;
  uint32_t parent_pid;
  /* enum tprt_trace_origin. */
  uint32_t origin;
  /* The counter when the process's recording began. */
  uint64_t counter;
};

/* MODULE: the load of an executable or shared object. String after it: the
 * module's path with its zero. */
struct tprt_trace_module {
  struct tprt_trace_record record;
  /* The load's number in the file, from 1. If the module is loaded again, the
   * new load has another number. */
  uint32_t module;
  uint32_t process;
  /* The counter when the module was found; 0 means before recording began. */
  uint64_t counter;
  /* The difference between addresses in memory and in the module's file, and
   * the number of mapped bytes. */
  uint64_t base;
  uint64_t bytes;
  /* The numbers of its sites. */
  uint32_t first_site;
  uint32_t sites;
  /* The number of used bytes of the build-id, and the build-id. */
  uint32_t build_id_bytes;
  uint8_t build_id[36];
};

/* tprt_trace_site.kind: the numbers of enum tprt_kind. */
enum tprt_trace_site_kind {
  TPRT_TRACE_SITE_ENTRY = 0,
  TPRT_TRACE_SITE_EXIT = 1,
  TPRT_TRACE_SITE_TAIL_EXIT = 2,
  /* A statement of a point. The site has no function. If programs run there
   * (TPRT_TRACE_COMPUTED), its events are visits, and the site has the point's name. */
  TPRT_TRACE_SITE_POINT = 3,
  /* A single instruction, at `sled`, inside the function. Its events are visits. */
  TPRT_TRACE_SITE_INSTRUCTION = 4
};

/* SITES: some of a module's sites. The rows follow, then the strings. */
struct tprt_trace_sites {
  struct tprt_trace_record record;
  uint32_t module;
  /* The number of the first row's site. */
  uint32_t first;
  uint32_t rows;
  /* Size of the strings in bytes. The strings begin immediately after the
   * rows. */
  uint32_t string_bytes;
  /* The base of the rows' addresses: an address in the module's file. */
  uint64_t base;
};

/* One row of SITES. */
struct tprt_trace_site {
  uint32_t sled;
  uint32_t function;
  /* Offset of the function's linked name in the strings. The string at offset 0
   * is empty and means no name. */
  uint32_t name;
  /* enum tprt_trace_site_kind. */
  uint32_t kind;
};

/* POINTS: some of a module's points. The rows follow, then the strings. */
struct tprt_trace_points {
  struct tprt_trace_record record;
  uint32_t module;
  /* The number of the first row's point. */
  uint32_t first;
  uint32_t rows;
  /* Size of the strings in bytes. The strings begin immediately after the
   * rows. */
  uint32_t string_bytes;
};

/* One row of POINTS. All fields except the line are offsets in the strings. */
struct tprt_trace_point {
  uint32_t name;
  /* The format, as for printf. */
  uint32_t format;
  /* A character for each argument: the digit of its enum tprt_trace_form. */
  uint32_t forms;
  uint32_t file;
  uint32_t function;
  uint32_t line;
};

/* UNLOADED: a module was unloaded. */
struct tprt_trace_unloaded {
  struct tprt_trace_record record;
  uint32_t module;
  uint32_t process;
  uint64_t counter;
};

/* CLOCK: another reading of the three clocks. */
struct tprt_trace_clock_record {
  struct tprt_trace_record record;
  struct tprt_trace_moment moment;
};

/* PROCESS_END. */
struct tprt_trace_process_end {
  struct tprt_trace_record record;
  uint32_t process;
  /* enum tprt_trace_end. */
  uint32_t reason;
  uint64_t counter;
};

/* VALUES: what the values of COMPUTED words with this number are. The rows follow, then the
 * strings. */
struct tprt_trace_values {
  struct tprt_trace_record record;
  uint32_t number;
  uint32_t rows;
  /* Size of the strings in bytes. */
  uint32_t string_bytes;
  uint32_t reserved;
};

/* One row of VALUES. */
struct tprt_trace_value {
  /* Offset of the expression in the strings. The string at offset 0 is empty. */
  uint32_t name;
  /* enum tprt_trace_value_kind. */
  uint32_t kind;
};

/* How a value is shown. */
enum tprt_trace_value_kind {
  /* A word whose type is unknown, in hexadecimal. Also of kinds that a reader does not
   * know. */
  TPRT_TRACE_VALUE_HEX = 0,
  TPRT_TRACE_VALUE_SIGNED = 1,
  TPRT_TRACE_VALUE_UNSIGNED = 2,
  TPRT_TRACE_VALUE_BOOL = 3,
  TPRT_TRACE_VALUE_CHARACTER = 4,
  TPRT_TRACE_VALUE_ADDRESS = 5,
  TPRT_TRACE_VALUE_TEXT = 6,
  /* Nanoseconds. */
  TPRT_TRACE_VALUE_TIME = 7,
  /* The address to which a call returns. */
  TPRT_TRACE_VALUE_CODE = 8,
  /* The bits of a double. */
  TPRT_TRACE_VALUE_DOUBLE = 9,
  /* A number of which some values have names, as those of an enumeration. The string after
   * the expression's has the names: `value=name`, with spaces between. The values are
   * decimal numbers, with a sign or without one. */
  TPRT_TRACE_VALUE_NAMED_SIGNED = 10,
  TPRT_TRACE_VALUE_NAMED_UNSIGNED = 11,
  /* The address of a function or of data, as the name of what is there. */
  TPRT_TRACE_VALUE_SYMBOL = 12,
  /* The name of the event's function. The number means nothing. */
  TPRT_TRACE_VALUE_FUNCTION = 13,
  /* A string of any bytes, none of which ends it. */
  TPRT_TRACE_VALUE_BYTES = 14,
  /* A stack. */
  TPRT_TRACE_VALUE_STACK = 15
};

/* tprt_trace_pack.magic: "tppk". */
#define TPRT_TRACE_PACK_MAGIC 0x6b707074

/* At the beginning of each pack of a packed file. One zstd frame follows, and
 * zeros up to a multiple of 8. */
struct tprt_trace_pack {
  /* TPRT_TRACE_PACK_MAGIC. */
  uint32_t magic;
  /* Number of blocks in this pack. */
  uint32_t blocks;
  /* Size of the frame in bytes, and of its content. */
  uint64_t packed;
  uint64_t unpacked;
};

/* The largest content of a pack, in bytes. */
#define TPRT_TRACE_MOST_PACK 33554432

#ifdef __cplusplus
#define TPRT_TRACE_SIZE(type, size) static_assert(sizeof(struct type) == (size), "another major version")
#else
#define TPRT_TRACE_SIZE(type, size) _Static_assert(sizeof(struct type) == (size), "another major version")
#endif
TPRT_TRACE_SIZE(tprt_trace_moment, 24);
TPRT_TRACE_SIZE(tprt_trace_header, 832);
TPRT_TRACE_SIZE(tprt_trace_block, 64);
TPRT_TRACE_SIZE(tprt_trace_record, 8);
TPRT_TRACE_SIZE(tprt_trace_process, 32);
TPRT_TRACE_SIZE(tprt_trace_module, 88);
TPRT_TRACE_SIZE(tprt_trace_sites, 32);
TPRT_TRACE_SIZE(tprt_trace_site, 16);
TPRT_TRACE_SIZE(tprt_trace_points, 24);
TPRT_TRACE_SIZE(tprt_trace_point, 24);
TPRT_TRACE_SIZE(tprt_trace_unloaded, 24);
TPRT_TRACE_SIZE(tprt_trace_clock_record, 32);
TPRT_TRACE_SIZE(tprt_trace_process_end, 24);
TPRT_TRACE_SIZE(tprt_trace_values, 24);
TPRT_TRACE_SIZE(tprt_trace_value, 8);
TPRT_TRACE_SIZE(tprt_trace_whole_call, 24);
TPRT_TRACE_SIZE(tprt_trace_pack, 24);
#undef TPRT_TRACE_SIZE

#endif
