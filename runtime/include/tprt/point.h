/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Handlers for points (tprt/trace.h): access to the arguments and the text of a
 * hit, a handler that prints a line, and a handler that records the arguments.
 *
 * Except tprt_point_enable() and tprt_usdt_watch(), all functions here are for handlers, and for
 * use during a hit. They are thread-safe and async-signal-safe, allocate nothing, acquire no lock,
 * use no locale, preserve errno, and use only general registers. So tprt_point_print and
 * tprt_point_record are attached with TPRT_HANDLER_GENERAL_REGS_ONLY:
 *
 *   tprt_point_output out = TPRT_POINT_OUTPUT(STDERR_FILENO);
 *   tprt_action print = {.flags = TPRT_HANDLER_GENERAL_REGS_ONLY, .handler = tprt_point_print, .data = &out};
 *
 * At a hit on a site that is not a point, there are no arguments, the text is
 * empty, and nothing is recorded. At such a hit, tprt_point_print() prints what
 * the function does.
 *
 * Text. A point's format has the syntax of printf (TPRT_TRACE) or std::format
 * (TPRT_TRACEF).
 *  - printf: the flags - + space # 0 ', width, precision (also `.*`), the length
 *    modifiers hh h l ll j z t q, and the conversions d i u o x X c s p f F e E g G
 *    a A %. The text is the same as glibc's in the locale "C".
 *  - std::format: {} and {0}; fill, alignment, sign, #, 0, width and precision; the
 *    types b B c d o x X a A e E f F g G s p ?. {} shows a floating-point number in
 *    the shortest form that reads back exactly, and each character of UTF-8 takes
 *    one column.
 *  - Floating-point numbers are rounded to the nearest, ties to even,
 *    regardless of the program's rounding mode.
 *  - Width by argument (`%*d`, `{:{}}`), %n, %1$d, wide characters, long double and
 *    {:L} are refused at compile time.
 *  - A format that does not fit its arguments gets a note in the text, such as
 *    `%!d(string)`, `%!d(missing)`, `%!n(refused)` or `%!(2 more)`.
 *
 * Strings. NULL is shown as (null). At most TPRT_STRING_LIMIT bytes of a string are shown or
 * recorded; "..." in the text replaces the rest. A precision (`%.5s`, `%.*s`, `{:.5}`) limits the
 * number of bytes that are read. The memory after them need not contain a NUL or be mapped. If a
 * string is shown by its address (`%p`), the string is not read. An address below 4096 or in the
 * system's half of the address space (bit 55 is set) is shown as (bad address). A handler cannot
 * find out cheaply whether other addresses are valid. So a pointer with any other wrong value ends
 * the program in a hit, as it would in printf.
 */
#ifndef TPRT_POINT_H
#define TPRT_POINT_H

#include "tprt/tprt.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The largest number of bytes of a string that are shown or recorded. */
#define TPRT_STRING_LIMIT 1023

/* The largest number of bytes in a line of tprt_point_print(), including its
 * newline. */
#define TPRT_LINE_LIMIT 4096

/* One argument of a hit. */
typedef struct tprt_argument {
  /* enum tprt_argument_type. 0 means that there is no such argument. */
  char type;
  /* For a string, the number of bytes at `s`, at most TPRT_STRING_LIMIT. 0 for
   * other types, and if the format shows the string's address (%p). */
  size_t length;
  union {
    /* Signed integers, char and bool. */
    int64_t i;
    /* Unsigned integers. For every other type, the unchanged word. */
    uint64_t u;
    /* Float and double. */
    double d;
    /* Pointers. */
    const void *p;
    /* Both types of strings. In general, the characters are not NUL-terminated.
     * NULL means that the program's string is NULL, or has an address that no
     * string can have. */
    const char *s;
  } value;
} tprt_argument;

/* How many arguments the point has. Async-signal-safe, for handlers. */
TPRT_API size_t tprt_point_argument_count(const tprt_event *event);

/* Stores argument number `index`, counted from 0, and returns 1. If there is no
 * such argument, stores a type of 0 and returns 0. The characters of a string
 * belong to the program. They are valid during the hit. Async-signal-safe, for
 * handlers. */
TPRT_API int tprt_point_argument(const tprt_event *event, const tprt_regs *regs, unsigned index, tprt_argument *out);

/* Writes the text of a hit, and a NUL, into `room` bytes at `out`. Text that does
 * not fit is omitted. Returns the length of the complete text without the NUL, like
 * snprintf. `out` may be NULL if `room` is 0. Needs at most 2 KiB of stack.
 * Async-signal-safe, for handlers. */
TPRT_API size_t tprt_point_format(const tprt_event *event, const tprt_regs *regs, char *out, size_t room);

/* The destination of tprt_point_print(). The object must stay valid as long as
 * the probe is attached. Several probes may share one. */
typedef struct tprt_point_output {
  /* A descriptor that is open for writing. If several processes write to the file,
   * or the program itself does, the file must be opened with O_APPEND. */
  int fd;
  /* 0. */
  uint32_t reserved;
  /* Lines that were not written, or only partly written. May be read at any
   * time. */
  uint64_t lost;
} tprt_point_output;

/* Initializes a tprt_point_output with the descriptor `fd`. */
#define TPRT_POINT_OUTPUT(fd) {(fd), 0, 0}

/* A tprt_handler that writes one line per hit. `data` is a tprt_point_output. If it
 * is NULL, the line is written to descriptor 2, and losses are not counted.
 *
 *   14:03:27.104382 4711 request_done: id=5 path=/index.html
 *
 * The line contains the time of day (UTC, in microseconds), the thread's id (0 if
 * unknown), the point's name, and the text. A newline at the end of the text is
 * omitted. Other newlines and carriage returns become spaces, so a hit is one line.
 * A line longer than TPRT_LINE_LIMIT is cut and ends with "...".
 *
 * Each line is written by one write(2), which is repeated if a signal interrupted
 * it. If the system writes only a part of a line, the line is counted in `lost` and
 * not completed. So this handler waits only if the descriptor makes it wait. A
 * failed write does not cause SIGPIPE or SIGXFSZ in the program. Needs at most 2.5
 * KiB of stack, and three system calls. The line is made in a page that each thread
 * allocates at its first line and keeps. If there is no memory for the page, lines
 * are counted in `lost`. Async-signal-safe.
 *
 * At hits of functions the line tells what the function does: `entered`, `returns`,
 * or `leaves by a tail call`. At single instructions the text is `function+0x10:
 * reached`. The name is the linked one. If the module's symbols were not read, the
 * function's address replaces the name (selecting by name reads the symbols).
 *
 *   14:03:27.104382 4711 parse_request: entered */
TPRT_API void tprt_point_print(const tprt_event *event, const tprt_regs *regs, void *data);

/* One hit as tprt_point_record() records it. After this structure follow:
 *  - for each argument its word, 8 bytes (enum tprt_argument_type gives its meaning;
 *    integers are extended to 64 bits; the word of a string is the string's original
 *    address);
 *  - for each string, in the order of the arguments, a tprt_recorded_string, its
 *    characters without a NUL, and zeros up to a multiple of 8 bytes. */
typedef struct tprt_recorded_hit {
  /* Size of the complete record, a multiple of 8. */
  uint32_t bytes;
  /* The thread's id; 0 if unknown. */
  uint32_t thread;
  /* Time of the hit, in the ticks of tprt_event_time(). */
  uint64_t time;
  /* Argument types and format. Valid as long as the point's module is loaded. */
  const tprt_descriptor *descriptor;
} tprt_recorded_hit;

/* The state of a recorded string. */
enum tprt_string_state {
  TPRT_STRING_WHOLE = 0,
  /* Longer than TPRT_STRING_LIMIT: these are its first bytes. */
  TPRT_STRING_CUT = 1,
  TPRT_STRING_NULL = 2,
  /* No string can have this address. */
  TPRT_STRING_BAD_ADDRESS = 3
};

typedef struct tprt_recorded_string {
  /* Number of bytes of characters that follow. */
  uint32_t length;
  /* enum tprt_string_state. */
  uint32_t state;
} tprt_recorded_string;

/* The destination of tprt_point_record(), for instance the ring of a tracer. Both
 * functions are called during hits, so they must be async-signal-safe and use only
 * general registers. The sink must stay valid as long as the probe is attached. */
typedef struct tprt_point_sink tprt_point_sink;
struct tprt_point_sink {
  /* Returns `bytes` bytes of memory, 8-byte aligned, for one record. Returns NULL
   * if there is no room. The hit is then counted in `lost`. */
  void *(*reserve)(tprt_point_sink *sink, size_t bytes);
  /* The record is complete. The record is at the address that the last reserve() of
   * this thread returned. */
  void (*commit)(tprt_point_sink *sink, tprt_recorded_hit *hit);
  /* For use by the two functions. */
  void *data;
  /* Hits that were not recorded. May be read at any time. */
  uint64_t lost;
};

/* A tprt_handler that passes each hit to a sink as one contiguous record, without
 * formatting it. `data` is a tprt_point_sink. The record is written once, into the
 * memory that the sink reserves. Its time is tprt_event_time() if the handler was
 * attached with TPRT_HANDLER_TIME, else the time of the call. If another thread
 * changes a string during the hit, the string is recorded with its original length.
 * Needs less than 1 KiB of stack, in addition to the stack of the sink's functions.
 * Async-signal-safe. */
TPRT_API void tprt_point_record(const tprt_event *event, const tprt_regs *regs, void *data);

/* Formats a record in the same manner as tprt_point_format(). May be called anywhere,
 * as long as the point's module is loaded. The record must be one that
 * tprt_point_record() made, or a copy of it. Async-signal-safe. */
TPRT_API size_t tprt_recorded_format(const tprt_recorded_hit *hit, char *out, size_t room);

/* Attaches `action` to the points of one name in one module. `point` is the object
 * that TPRT_POINT() makes; NULL is refused (INVALID_ARGUMENT). Everything else is
 * the same as for tprt_probe_attach(). Not for handlers. */
static inline tprt_status tprt_point_enable(const void *point, const tprt_action *action, tprt_probe **probe, tprt_result *result) {
  tprt_selector selector = {NULL, NULL, NULL, NULL, 0, TPRT_KIND_SET_POINT, 0, NULL, point};
  /* A NULL point would match every point. A site count without sites makes the
   * selector invalid. */
  if (!point)
    selector.site_count = 1;
  return tprt_probe_attach(&selector, action, probe, result);
}

/* Turns points on while tracers use their USDT probes (TPRT_POINT_USDT), until it is called
 * with 0. For tracers that raise semaphores, like bpftrace and gdb. A point is on at most
 * 0.2 s after the tracer has raised its semaphore. It is off equally soon after the last
 * tracer has detached. A thread of libtprt checks the semaphores ten times a second. All
 * signals are blocked in this thread. A child of fork() has no such thread until it calls
 * this function itself. Points that were on remain on until then. Returns OK, IN_HANDLER,
 * NO_MEMORY (the thread cannot be started) or NO_PERMISSION (the semaphores cannot be read).
 * For 0 it can also return PENDING: after five seconds the thread still waits for the
 * loader. The thread ends as soon as it can. */
TPRT_API tprt_status tprt_usdt_watch(int on);

#ifdef __cplusplus
}
#endif

#endif
