/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Handlers for `tpctl run`: C or C++ that tpctl compiles and loads into a running
 * process. docs/howto/run-a-handler.md is the guide. For instance:
 *
 *   #include <tprt/run.h>
 *
 *   TP_RUN_TABLE(sizes, 1024, "size");
 *
 *   TP_RUN_HANDLER(count_sizes, "malloc", TP_RUN_ENTRY) {
 *     tp_add(run, &sizes, tp_argument(regs, 0), 1);
 *   }
 *
 * A handler runs in the program's own threads, under the rules of tprt_handler
 * (tprt/event.h), possibly in a signal handler, and may call nothing but the
 * functions of this header. While a thread is in a handler, further hits of that
 * thread call no handler.
 */
#ifndef TPRT_RUN_H
#define TPRT_RUN_H

#include <stddef.h>
#include <stdint.h>

#include "tprt/event.h"
#include "tprt/regs.h"

#ifdef __cplusplus
extern "C" {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wold-style-cast" /* this is C as well */
#endif

/* Incremented whenever handlers that were compiled before would misread a change.
 * tpctl and libtprt refuse other versions. */
#define TPRT_RUN_VERSION 1

/* Where a handler is called, and what it does: bits of TP_RUN_HANDLER's third
 * argument. At least one of the first four has to be given. */
enum tprt_run_flags {
  TP_RUN_ENTRY = 1,
  TP_RUN_EXIT = 2,        /* returns and tail exits */
  TP_RUN_POINT = 4,       /* trace points */
  TP_RUN_INSTRUCTION = 8, /* single instructions: patterns such as function+0x10 */
  /* The handler changes arguments or results (tp_set_argument(), tp_set_result()).
   * Functions with sleds that were not compiled with -ftp-opaque are refused. */
  TP_RUN_CHANGES = 16,
  /* The handler uses vector registers: it was not compiled with
   * -mgeneral-regs-only. Set by TP_RUN_HANDLER. A hit then costs more, and
   * tp_set_errno() has no effect. */
  TPRT_RUN_VECTORS = 32
};

/* The longest text of a key, and the most numbers in a key. */
#define TPRT_RUN_TEXT_BYTES 48
#define TPRT_RUN_NUMBERS 2

/* A row of a table. */
typedef struct tprt_run_row {
  uint32_t state; /* enum tprt_run_row_state */
  uint16_t numbers, text_bytes;
  uint64_t keys[TPRT_RUN_NUMBERS];
  char text[TPRT_RUN_TEXT_BYTES];
  uint64_t hits;
  int64_t sum, least, greatest;
} tprt_run_row;

enum tprt_run_row_state {
  TPRT_RUN_ROW_FREE = 0,
  TPRT_RUN_ROW_BEGUN = 1, /* its key is being written */
  TPRT_RUN_ROW_MADE = 2
};

enum tprt_run_table_kind {
  TPRT_RUN_TABLE_PLAIN = 0,
  TPRT_RUN_TABLE_HISTOGRAM = 1 /* the key is a bucket of tp_hist() */
};

/* A table, in the file's own data. */
typedef struct tprt_run_table {
  uint32_t version; /* TPRT_RUN_VERSION */
  uint32_t kind;    /* enum tprt_run_table_kind */
  const char *name;
  const char *headings; /* of the keys, separated by commas */
  tprt_run_row *rows;
  uint64_t row_count;
  uint64_t lost; /* hits for which no row was free */
} tprt_run_table;

/* The functions that a handler gets. All of them are async-signal-safe and take no
 * lock. Fields are only added at the end: `bytes` is the structure's size. */
typedef struct tprt_run_api {
  uint32_t version; /* TPRT_RUN_VERSION */
  uint32_t bytes;
  /* Writes a line, which tpctl prints. The conversions are %d %i %u %x %X %o %c %s %p
   * and %%, with the lengths hh h l ll z j t, a width, and the flags 0 and -. %s reads
   * the text with care: an address that cannot be read is shown as (?). A line has at
   * most 480 bytes. Lines that find no room, because tpctl has not read the earlier
   * ones, are lost: tpctl prints how many. */
  void (*print)(const struct tprt_run_api *run, const char *format, ...) __attribute__((format(printf, 2, 3)));
  /* Adds a value to the row of a key: `numbers` numbers, then a text if `text` is not
   * NULL. See tp_add(). */
  void (*add)(const struct tprt_run_api *run, tprt_run_table *table, const uint64_t *keys, uint32_t numbers, const char *text, int64_t value);
  /* Copies memory of the program, which may be unmapped. Returns 1, or 0 if it cannot
   * be read. */
  int (*read)(const struct tprt_run_api *run, void *to, const void *from, size_t bytes);
  /* Copies a text, at most `bytes` - 1 bytes, and adds a NUL. Returns its length, or
   * -1 if it cannot be read; `to` is then "". */
  long (*read_text)(const struct tprt_run_api *run, char *to, size_t bytes, const char *from);
  /* The time, in nanoseconds from any moment. */
  uint64_t (*nanoseconds)(const struct tprt_run_api *run);
  /* The kernel's number of the calling thread; 0 if it is not known. */
  int32_t (*thread)(const struct tprt_run_api *run);
  /* Sets the thread's errno, as the function's caller will see it. */
  void (*set_errno)(const struct tprt_run_api *run, int number);
} tprt_run_api;

/* The type of these handlers. */
typedef void (*tprt_run_function)(const tprt_event *event, const tprt_regs *regs, const tprt_run_api *run);

/* A handler's description, which tpctl reads in the file. */
typedef struct tprt_run_handler {
  uint32_t version; /* TPRT_RUN_VERSION */
  uint32_t flags;   /* enum tprt_run_flags */
  const char *name;
  const char *pattern; /* NULL: the patterns of the command line */
  tprt_run_function call;
} tprt_run_handler;

/* The sections in which tpctl finds the descriptions. */
#define TPRT_RUN_HANDLERS_SECTION "tprt_run_handlers"
#define TPRT_RUN_TABLES_SECTION "tprt_run_tables"

#if defined(__SSE2__) || defined(__ARM_NEON)
#define TPRT_RUN_OWN_FLAGS TPRT_RUN_VECTORS
#else
#define TPRT_RUN_OWN_FLAGS 0
#endif

/* Defines a handler. Its body follows, with the parameters `event`, `regs` and `run`.
 * PATTERN is a pattern of tpctl in quotes, or NULL for those of the command line.
 * WHERE is a combination of enum tprt_run_flags. */
#define TP_RUN_HANDLER(NAME, PATTERN, WHERE)                                                                                                                                                        \
  static void NAME(const tprt_event *event, const tprt_regs *regs, const tprt_run_api *run);                                                                                                        \
  static __attribute__((used, aligned(8), section(TPRT_RUN_HANDLERS_SECTION))) tprt_run_handler tprt_run_##NAME = {TPRT_RUN_VERSION, (uint32_t)(WHERE) | TPRT_RUN_OWN_FLAGS, #NAME, PATTERN, NAME}; \
  static void NAME(const tprt_event *event __attribute__((unused)), const tprt_regs *regs __attribute__((unused)), const tprt_run_api *run __attribute__((unused)))

#define TPRT_RUN_TABLE_OF(NAME, ROWS, HEADINGS, KIND) \
  static tprt_run_row tprt_run_rows_of_##NAME[ROWS];  \
  static __attribute__((used, aligned(8), section(TPRT_RUN_TABLES_SECTION))) tprt_run_table NAME = {TPRT_RUN_VERSION, KIND, #NAME, HEADINGS, tprt_run_rows_of_##NAME, ROWS, 0}

/* Defines a table of at most ROWS different keys, which tpctl prints at the end.
 * HEADINGS names the keys, as in "thread,size". */
#define TP_RUN_TABLE(NAME, ROWS, HEADINGS) TPRT_RUN_TABLE_OF(NAME, ROWS, HEADINGS, TPRT_RUN_TABLE_PLAIN)
/* Defines a table for tp_hist(). */
#define TP_RUN_HISTOGRAM(NAME) TPRT_RUN_TABLE_OF(NAME, 256, "value", TPRT_RUN_TABLE_HISTOGRAM)

/* --- the registers ----------------------------------------------------------- */

/* Integer argument number `index`, from 0, at an entry; see tprt_regs_argument(). */
static inline uint64_t tp_argument(const tprt_regs *regs, unsigned index) { return tprt_regs_argument(regs, index); }
/* The integer result at an exit by return (event->kind is TPRT_KIND_EXIT). */
static inline uint64_t tp_result(const tprt_regs *regs) { return tprt_regs_result(regs); }

/* Changes an argument that is in a register, at an entry, or the result, at an exit by
 * return. Returns 1, or 0 if nothing was changed: the handler lacks TP_RUN_CHANGES, the
 * hit is at another place, or the argument is on the stack. */
static inline int tp_set_argument(const tprt_event *event, const tprt_regs *regs, unsigned index, uint64_t value) {
  tprt_regs *changed = tprt_regs_change(event, regs);
  if (!changed || event->kind != TPRT_KIND_ENTRY || index >= TPRT_ARGUMENT_REGISTERS)
    return 0;
#if defined(__x86_64__)
  (&changed->rdi)[index] = value;
#else
  changed->x[index] = value;
#endif
  return 1;
}
static inline int tp_set_result(const tprt_event *event, const tprt_regs *regs, uint64_t value) {
  tprt_regs *changed = tprt_regs_change(event, regs);
  if (!changed || event->kind != TPRT_KIND_EXIT)
    return 0;
#if defined(__x86_64__)
  changed->rax = value;
#else
  changed->x[0] = value;
#endif
  return 1;
}
/* Sets errno, as the function's caller will see it. */
static inline void tp_set_errno(const tprt_run_api *run, int number) { run->set_errno(run, number); }

/* --- tables ------------------------------------------------------------------ */

/* Adds `value` to the row of the key: no key, a number, two numbers, or a text, of
 * which the first 48 bytes count. tpctl shows the hits of each row, and the sum of the
 * values. Threads share the rows, so rows that many threads add to at once are faster
 * with the thread as one key. */
static inline void tp_count(const tprt_run_api *run, tprt_run_table *table, int64_t value) { run->add(run, table, NULL, 0, NULL, value); }
static inline void tp_add(const tprt_run_api *run, tprt_run_table *table, uint64_t key, int64_t value) { run->add(run, table, &key, 1, NULL, value); }
static inline void tp_add2(const tprt_run_api *run, tprt_run_table *table, uint64_t first, uint64_t second, int64_t value) {
  uint64_t keys[2];
  keys[0] = first;
  keys[1] = second;
  run->add(run, table, keys, 2, NULL, value);
}
static inline void tp_add_text(const tprt_run_api *run, tprt_run_table *table, const char *text, int64_t value) { run->add(run, table, NULL, 0, text, value); }
/* Adds a value to the histogram: to the bucket from the power of two that is not
 * greater. */
static inline void tp_hist(const tprt_run_api *run, tprt_run_table *table, int64_t value) {
  uint64_t bucket = value <= 0 ? (uint64_t)(value < 0 ? -1 : 0) : (uint64_t)1 << (63 - __builtin_clzll((unsigned long long)value));
  run->add(run, table, &bucket, 1, NULL, value);
}

/* --- what compilers call ------------------------------------------------------ */

/* A compiler may call these functions for a structure or a loop. They are defined here,
 * because a handler can call no library. */
#define TPRT_RUN_BUILTIN(NAME) __asm__(NAME) __attribute__((weak, used, visibility("hidden"), noinline))
void *tprt_run_memcpy(void *to, const void *from, size_t bytes) TPRT_RUN_BUILTIN("memcpy");
void *tprt_run_memmove(void *to, const void *from, size_t bytes) TPRT_RUN_BUILTIN("memmove");
void *tprt_run_memset(void *to, int value, size_t bytes) TPRT_RUN_BUILTIN("memset");
int tprt_run_memcmp(const void *one, const void *other, size_t bytes) TPRT_RUN_BUILTIN("memcmp");

/* The empty assembly keeps these loops from becoming calls of the same functions. */
#define TPRT_RUN_KEEP_LOOP __asm__ volatile("" ::: "memory")

void *tprt_run_memmove(void *to, const void *from, size_t bytes) {
  char *out = (char *)to;
  const char *in = (const char *)from;
  size_t i;
  for (i = 0; i < bytes; ++i) {
    size_t at = out < in ? i : bytes - 1 - i;
    out[at] = in[at];
    TPRT_RUN_KEEP_LOOP;
  }
  return to;
}
void *tprt_run_memcpy(void *to, const void *from, size_t bytes) { return tprt_run_memmove(to, from, bytes); }
void *tprt_run_memset(void *to, int value, size_t bytes) {
  size_t i;
  for (i = 0; i < bytes; ++i) {
    ((char *)to)[i] = (char)value;
    TPRT_RUN_KEEP_LOOP;
  }
  return to;
}
int tprt_run_memcmp(const void *one, const void *other, size_t bytes) {
  const unsigned char *a = (const unsigned char *)one, *b = (const unsigned char *)other;
  size_t i;
  for (i = 0; i < bytes; ++i) {
    if (a[i] != b[i])
      return a[i] < b[i] ? -1 : 1;
    TPRT_RUN_KEEP_LOOP;
  }
  return 0;
}

#ifdef __cplusplus
#pragma GCC diagnostic pop
}
#endif

#endif
