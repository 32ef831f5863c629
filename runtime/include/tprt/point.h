/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Handlers for points (tprt/trace.h): the arguments and the text of a hit, a
 * handler that prints a line, and one that records the arguments.
 *
 * Except tprt_point_enable() and tprt_usdt_watch(), all functions here are for
 * handlers, and for use during a hit. They are thread-safe and async-signal-safe, allocate nothing, take no lock, use no locale,
 * keep errno, and touch general registers alone. So tprt_point_print and
 * tprt_point_record are attached with TPRT_HANDLER_GENERAL_REGS_ONLY:
 *
 *   tprt_point_output out = TPRT_POINT_OUTPUT(STDERR_FILENO);
 *   tprt_action print = {.flags = TPRT_HANDLER_GENERAL_REGS_ONLY, .handler = tprt_point_print, .data = &out};
 *
 * At a hit that is not a point's, there are no arguments, the text is empty, and
 * nothing is recorded. tprt_point_print() says there what the function does.
 *
 * Text. A point's format is printf's (TPRT_TRACE) or std::format's (TPRT_TRACEF).
 *  - printf: the flags - + space # 0 ', width, precision (also `.*`), the length
 *    modifiers hh h l ll j z t q, and the conversions d i u o x X c s p f F e E g G
 *    a A %. The text is glibc's in the locale "C".
 *  - std::format: {} and {0}; fill, alignment, sign, #, 0, width and precision; the
 *    types b B c d o x X a A e E f F g G s p ?. {} shows a floating-point number in
 *    the shortest form that reads back exactly, and each character of UTF-8 takes
 *    one column.
 *  - Floating-point numbers are rounded to the nearest, ties to even, whatever
 *    rounding mode the program has set.
 *  - Width by argument (`%*d`, `{:{}}`), %n, %1$d, wide characters, long double and
 *    {:L} are refused when the program is compiled.
 *  - A format that does not fit its arguments gets a note in the text, such as
 *    `%!d(string)`, `%!d(missing)`, `%!n(refused)` or `%!(2 more)`.
 *
 * Strings. NULL is shown as (null). At most TPRT_STRING_LIMIT bytes of a string
 * are shown or recorded; "..." in the text stands for the others. A precision
 * (`%.5s`, `%.*s`, `{:.5}`) bounds what is read: after it there need be no NUL and
 * no memory. Of a string that is shown by its address (`%p`) nothing is read. An
 * address below 4096 or in the system's half of the addresses (bit 55 is set) is shown as (bad address). A handler cannot find out cheaply whether other
 * addresses are valid. So a pointer that has any other wrong value ends the program
 * in a hit, as it would in printf.
 */
#ifndef TPRT_POINT_H
#define TPRT_POINT_H

#include "tprt/tprt.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The most bytes of a string that are shown or recorded. */
#define TPRT_STRING_LIMIT 1023

/* The most bytes of a line of tprt_point_print(), with its newline. */
#define TPRT_LINE_LIMIT 4096

/* One argument of a hit. */
typedef struct tprt_argument {
  /* enum tprt_argument_type. 0: there is no such argument. */
  char type;
  /* Of a string: bytes at `s`, at most TPRT_STRING_LIMIT. 0 for other types, and if
   * the format shows the string's address (%p). */
  size_t length;
  union {
    /* Signed integers, char and bool. */
    int64_t i;
    /* Unsigned integers; of every other type the word as it is. */
    uint64_t u;
    /* Float and double. */
    double d;
    /* Pointers. */
    const void *p;
    /* Strings, of both types. Not NUL-terminated in general. NULL: the program's
     * string is NULL, or has an address that no string can have. */
    const char *s;
  } value;
} tprt_argument;

/* How many arguments the point has. Async-signal-safe, for handlers. */
TPRT_API size_t tprt_point_argument_count(const tprt_event *event);

/* Stores argument `index`, from 0, and returns 1. Returns 0 if there is none, and
 * then stores a type of 0. The characters of a string are the program's own: valid
 * during the hit. Async-signal-safe, for handlers. */
TPRT_API int tprt_point_argument(const tprt_event *event, const tprt_regs *regs, unsigned index, tprt_argument *out);

/* Writes the text of a hit, and a NUL, into `room` bytes at `out`; what does not
 * fit is left out. Returns the length of the whole text without the NUL, as snprintf
 * does. `out` may be NULL if `room` is 0. Takes at most 2 KiB of stack.
 * Async-signal-safe, for handlers. */
TPRT_API size_t tprt_point_format(const tprt_event *event, const tprt_regs *regs, char *out, size_t room);

/* Where tprt_point_print() writes. Must stay valid as long as the probe is
 * attached. Several probes may share one. */
typedef struct tprt_point_output {
  /* A descriptor that is open for writing. A file that several processes write to,
   * or the program itself, is to be opened with O_APPEND. */
  int fd;
  /* 0. */
  uint32_t reserved;
  /* Lines that were not written, or not whole. May be read at any time. */
  uint64_t lost;
} tprt_point_output;

/* A value for a tprt_point_output: its descriptor is `fd`. */
#define TPRT_POINT_OUTPUT(fd) {(fd), 0, 0}

/* A tprt_handler that writes one line per hit. `data` is a tprt_point_output; NULL:
 * the line goes to descriptor 2, and losses are not counted.
 *
 *   14:03:27.104382 4711 request_done: id=5 path=/index.html
 *
 * That is the time of day (UTC, in microseconds), the thread's id (0 if it cannot
 * be known), the point's name, and the text. A newline at the end of the text is
 * left out; others and carriage returns become spaces, so a hit is one line. A line
 * longer than TPRT_LINE_LIMIT is cut and ends with "...".
 *
 * Each line is written by one write(2), again after a signal interrupted it. A line
 * that the system does not take whole is counted in `lost`, and is not completed: so
 * this handler waits only where the descriptor makes it wait. A failed write sends
 * the program no SIGPIPE and no SIGXFSZ. Takes at most 2.5 KiB of stack, and three
 * system calls. The line is made in a page that each thread gets at its first line
 * and keeps; without memory for it, lines are counted in `lost`. Async-signal-safe.
 *
 * At hits of functions the line says what the function does: `entered`, `returns`, or
 * `leaves by a tail call`. At single instructions it is `function+0x10: reached`. The
 * name is the linked one, or the function's address if the module's symbols were not
 * read (selecting by name reads them).
 *
 *   14:03:27.104382 4711 parse_request: entered */
TPRT_API void tprt_point_print(const tprt_event *event, const tprt_regs *regs, void *data);

/* One hit as tprt_point_record() records it. After this structure follow
 *  - for each argument its word, 8 bytes (enum tprt_argument_type says what it is;
 *    integers are extended to 64 bits; the word of a string is the address that it had);
 *  - for each string, in the order of the arguments, a tprt_recorded_string, its
 *    characters without a NUL, and zeros up to a multiple of 8 bytes. */
typedef struct tprt_recorded_hit {
  /* Of the whole record, a multiple of 8. */
  uint32_t bytes;
  /* The thread's id; 0 if it cannot be known. */
  uint32_t thread;
  /* Of the hit, in the ticks of tprt_event_time(). */
  uint64_t time;
  /* Argument types and format. Valid as long as the point's module is loaded. */
  const tprt_descriptor *descriptor;
} tprt_recorded_hit;

/* What is known of a recorded string. */
enum tprt_string_state {
  TPRT_STRING_WHOLE = 0,
  /* Longer than TPRT_STRING_LIMIT: these are its first bytes. */
  TPRT_STRING_CUT = 1,
  TPRT_STRING_NULL = 2,
  /* The address is none that a string can have. */
  TPRT_STRING_BAD_ADDRESS = 3
};

typedef struct tprt_recorded_string {
  /* Bytes of characters that follow. */
  uint32_t length;
  /* enum tprt_string_state. */
  uint32_t state;
} tprt_recorded_string;

/* Where tprt_point_record() puts its records: the ring of a tracer, for instance.
 * Both functions are called in hits, so they are to be async-signal-safe and to
 * touch general registers alone. Must stay valid as long as the probe is attached. */
typedef struct tprt_point_sink tprt_point_sink;
struct tprt_point_sink {
  /* Returns `bytes` bytes of memory, 8-byte aligned, for one record. NULL: there is
   * no room, and the hit is counted in `lost`. */
  void *(*reserve)(tprt_point_sink *sink, size_t bytes);
  /* The record is complete. It lies where the last reserve() of this thread said. */
  void (*commit)(tprt_point_sink *sink, tprt_recorded_hit *hit);
  /* For the two functions. */
  void *data;
  /* Hits that were not recorded. May be read at any time. */
  uint64_t lost;
};

/* A tprt_handler that gives each hit to a sink as one contiguous record, without
 * formatting it. `data` is a tprt_point_sink. The record is written once, into the
 * memory that the sink reserves. Its time is tprt_event_time() if the handler was
 * attached with TPRT_HANDLER_TIME, else the time of the call. Strings that another
 * thread changes meanwhile are recorded with the length that they had at first. Takes
 * less than 1 KiB of stack, beside the sink's. Async-signal-safe. */
TPRT_API void tprt_point_record(const tprt_event *event, const tprt_regs *regs, void *data);

/* As tprt_point_format(), but of a record. May be called anywhere, as long as the
 * point's module is loaded. The record must be one that tprt_point_record() made, or a
 * copy of it. Async-signal-safe. */
TPRT_API size_t tprt_recorded_format(const tprt_recorded_hit *hit, char *out, size_t room);

/* Attaches `action` to the points of one name in one module. `point` is the object
 * that TPRT_POINT() makes; NULL is refused (INVALID_ARGUMENT). Everything else is as
 * with tprt_probe_attach(); not for handlers. */
static inline tprt_status tprt_point_enable(const void *point, const tprt_action *action, tprt_probe **probe, tprt_result *result) {
  tprt_selector selector = {NULL, NULL, NULL, NULL, 0, TPRT_KIND_SET_POINT, 0, NULL, point};
  /* Nobody lists what is not a site, so this selector is refused. */
  if (!point)
    selector.site_count = 1;
  return tprt_probe_attach(&selector, action, probe, result);
}

/* Turns points on while tracers watch their USDT probes (TPRT_POINT_USDT), until it is
 * called with 0. For tracers that raise semaphores, as bpftrace and gdb do. A point is on
 * at most 0.2 s after the tracer has raised its semaphore, and off as soon after the last
 * tracer left. A thread of libtprt's looks at the semaphores ten times a second; all
 * signals are blocked in it. A child of fork() has no such thread until it calls this
 * itself; points that were on stay on until then. OK, IN_HANDLER, NO_MEMORY (the thread
 * cannot be started), NO_PERMISSION (the semaphores cannot be read) or, for 0, PENDING (five
 * seconds later the thread still waits for the loader; it ends when it can). */
TPRT_API tprt_status tprt_usdt_watch(int on);

#ifdef __cplusplus
}
#endif

#endif
