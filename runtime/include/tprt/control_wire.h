/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The messages between a process that can be controlled (tprt/control.h) and
 * tpctl. docs/reference/control.md is the guide. For readers in C and C++ alike.
 *
 * The socket is a Unix socket of type SOCK_SEQPACKET, so each message arrives whole
 * or not at all. The tool asks; the process answers each request with one message,
 * in the order of the requests. The process sends nothing else. All numbers are in
 * the machine's byte order, because both sides run on one machine.
 *
 * A message is a tprt_control_head and the body of its type. Strings are after
 * the body, each with its final NUL, in the order that the body's comment says.
 * Bytes after what a reader knows of a body are strings only where the body says
 * so. A message that breaks a rule is answered with TPRT_STATUS_INVALID_ARGUMENT.
 */
#ifndef TPRT_CONTROL_WIRE_H
#define TPRT_CONTROL_WIRE_H

#include <stdint.h>

/* One higher whenever a message changes in a way that an earlier reader takes
 * wrong. */
#define TPRT_CONTROL_VERSION 2

/* The longest message, head included. */
#define TPRT_CONTROL_MOST_BYTES 65536

/* The most patterns of one request, and the longest of them, with its NUL. */
#define TPRT_CONTROL_MOST_PATTERNS 256
#define TPRT_CONTROL_MOST_PATTERN_BYTES 4096

/* The name of the thread that owns the socket. A tool finds the socket by the
 * descriptors of this thread in /proc. */
#define TPRT_CONTROL_THREAD_NAME "tprt-control"

typedef enum tprt_control_type {
  TPRT_CONTROL_HELLO = 1,
  TPRT_CONTROL_LIST = 2,
  TPRT_CONTROL_ATTACH = 3,
  TPRT_CONTROL_DETACH = 4,
  TPRT_CONTROL_GROUPS = 5,
  TPRT_CONTROL_COUNTS = 6,
  TPRT_CONTROL_TIMES = 7,
  TPRT_CONTROL_RECORD = 8,
  TPRT_CONTROL_SNAPSHOT = 9,
  TPRT_CONTROL_FIGURES = 10,
  TPRT_CONTROL_GO = 11,
  TPRT_CONTROL_DETACH_SITES = 12
} tprt_control_type;

/* The beginning of each message. An answer has the type and the id of its request.
 * Where `status` is not TPRT_STATUS_OK, and not TPRT_STATUS_PARTIAL either, the
 * answer's body is one string: what went wrong, and what to do next. */
typedef struct tprt_control_head {
  uint32_t bytes; /* of the message, this head included */
  uint16_t version;
  uint16_t type;  /* enum tprt_control_type */
  uint32_t id;    /* chosen by the tool */
  int32_t status; /* enum tprt_status; 0 in requests */
} tprt_control_head;

/* HELLO: the first request. Other requests are refused before it. */
typedef struct tprt_control_hello {
  /* TPRT_CONTROL_VERSION of the tool. */
  uint32_t version;
  /* enum tprt_control_hello_flags. */
  uint32_t flags;
} tprt_control_hello;

/* Bits of tprt_control_hello.flags. */
enum tprt_control_hello_flags {
  /* When the process ends by exit, _exit, quick_exit or abort, or becomes another program,
   * it waits until the tool has said GO. So the tool can read the last counts. It learns
   * of the end by TPRT_CONTROL_READ_ENDING. The process waits as long as such tools make
   * progress (docs/reference/control.md). It may go on all the same; then readings say so by
   * lacking that flag, and the process waits again at its next end. */
  TPRT_CONTROL_AWAIT_AT_END = 1,
  /* tprt_signal_translate() is called. The connection is refused if that fails. */
  TPRT_CONTROL_SIGNALS = 2
};

/* After it, strings: libtprt's version, the program's path. */
typedef struct tprt_control_hello_answer {
  /* TPRT_CONTROL_VERSION of the process. */
  uint32_t version;
  /* The process's number in its own namespace. */
  int32_t pid;
  /* Which process this is: forks and execs of one pid have different numbers. The
   * start time of /proc/PID/stat does not tell an exec. */
  uint64_t instance;
  /* Now, in ticks of the counter that times are given in, and in nanoseconds of
   * CLOCK_MONOTONIC. */
  uint64_t ticks, monotonic;
  /* Ticks per second, measured. */
  uint64_t ticks_per_second;
} tprt_control_hello_answer;

/* What a list of patterns begins with, as part of LIST, ATTACH and RECORD. After
 * the request's body are `patterns` strings: globs as in tprt_selector.function,
 * `module!function` included. A pattern that begins with '@' is a source file, as in
 * tprt_selector.source; one that begins with "point:" takes points. Those that
 * begin with '!' leave functions and points out; they count for all others.
 * Where `sites` is not 0, there are no patterns but `sites` numbers of uint32_t: the
 * sites with these numbers, as LIST has them. */
typedef struct tprt_control_selection {
  uint32_t patterns;
  uint32_t sites;
  uint32_t kinds; /* enum tprt_kind_set; 0: entries */
  uint32_t flags; /* enum tprt_select_flags */
} tprt_control_selection;

/* LIST. `from` 0 makes the list anew; the answer says where the next page begins. */
typedef struct tprt_control_list {
  tprt_control_selection selection;
  uint32_t from;
  uint32_t reserved;
} tprt_control_list;

/* After it: `rows` of tprt_control_site, then their strings. A row's strings are the
 * linked name, the module's path, the source file, the format, and the sentence of a
 * refusal, each by its place after the last row. Place 0 is the empty string. */
typedef struct tprt_control_list_answer {
  uint32_t total; /* rows of all pages together */
  uint32_t rows;  /* of this page */
  uint32_t next;  /* `from` of the next page; 0: this is the last page */
  uint32_t string_bytes;
} tprt_control_list_answer;

typedef struct tprt_control_site {
  uint64_t sled, function; /* addresses; `function` of a point is 0 */
  uint64_t base;           /* where the module was loaded */
  uint32_t site;           /* its number as long as its module is loaded */
  uint8_t kind, shape, state, refusal;
  uint32_t name, module, file, format; /* places of strings */
  uint32_t line;
  uint32_t why; /* the place of the sentence of `refusal` */
  /* A site in code without sleds: how its instruction would become a jump (enum
   * tprt_control_means), and the instruction. Else 0. */
  uint8_t means, instruction_bytes;
  uint8_t instruction[22];
} tprt_control_site;

/* See docs/explanation/code-probes.md. */
enum tprt_control_means {
  TPRT_CONTROL_MEANS_NONE = 0, /* It would not; tprt_control_site.refusal says why. */
  TPRT_CONTROL_MEANS_JUMP = 1,
  TPRT_CONTROL_MEANS_HOP = 2,
  TPRT_CONTROL_MEANS_RETURN = 3,
  TPRT_CONTROL_MEANS_PUN = 4,
  TPRT_CONTROL_MEANS_TRAP = 5,
  TPRT_CONTROL_MEANS_CALL = 6
};

/* What the sites of a group do. */
typedef enum tprt_control_action {
  /* Count hits. */
  TPRT_CONTROL_ACTION_COUNT = 0,
  /* Time calls: sums and histograms per function and thread. */
  TPRT_CONTROL_ACTION_TIME = 1,
  /* Points alone: print a line to the program's standard error. */
  TPRT_CONTROL_ACTION_PRINT = 2,
  /* Skip calls of profilers. The selection has TPRT_SELECT_PROFILERS. */
  TPRT_CONTROL_ACTION_SKIP = 3
} tprt_control_action;

/* Bits of tprt_control_attach.flags. */
enum tprt_control_attach_flags {
  /* The group stays when the tool's connection ends. */
  TPRT_CONTROL_KEEP = 1,
  /* Count hits: COUNTS can tell threads apart. */
  TPRT_CONTROL_PER_THREAD = 2,
  /* Time calls: for each return address alone, so that TIMES can tell callers apart. A
   * timed call costs some nanoseconds more. */
  TPRT_CONTROL_PER_CALLER = 4,
  /* The patterns are what GROUPS shows of the group and DETACH knows it by. They take
   * nothing, and need not be globs: the tool applies them, and attaches what they take
   * by the sites' numbers. Until then, GROUPS does not show the group. */
  TPRT_CONTROL_NAMES_ONLY = 8
};

/* ATTACH: makes a group of probes, or adds sites to one. With `group` not 0, the
 * action must be the group's. */
typedef struct tprt_control_attach {
  tprt_control_selection selection;
  uint32_t group;  /* 0: a new one */
  uint32_t action; /* enum tprt_control_action */
  uint32_t flags;  /* enum tprt_control_attach_flags */
  uint32_t reserved;
} tprt_control_attach;

/* After it one string: why some sites were refused, or "". */
typedef struct tprt_control_attach_answer {
  uint32_t group;
  uint32_t matched, enabled, refused;
} tprt_control_attach_answer;

/* DETACH: takes groups off. After the body come `patterns` patterns: only the
 * groups that were attached with one of them. The answer has a
 * tprt_control_detach_answer. PENDING: a thread is still in a handler. */
typedef struct tprt_control_detach {
  uint32_t group; /* 0: all, of all tools */
  uint32_t patterns;
} tprt_control_detach;
typedef struct tprt_control_detach_answer {
  uint32_t groups; /* how many were taken off */
  uint32_t reserved;
} tprt_control_detach_answer;

/* DETACH_SITES: takes functions off a group of this tool, which counts or times; the
 * others stay as they are. After the body come `sites` numbers of uint32_t, of the
 * functions' entries as LIST, COUNTS and TIMES have them. The exits of a function go
 * with its entry. Points stay, and numbers that are not in the group have no effect.
 * TIMES keeps the sums of the functions; COUNTS lacks them from here on. */
typedef struct tprt_control_detach_sites {
  uint32_t group;
  uint32_t sites;
} tprt_control_detach_sites;
typedef struct tprt_control_detach_sites_answer {
  uint32_t sites; /* how many were taken off, exits included */
  uint32_t reserved;
} tprt_control_detach_sites_answer;

/* GROUPS has no body. After the answer: `groups` of tprt_control_group, then for
 * each its patterns in one string, with spaces between them. */
typedef struct tprt_control_groups_answer {
  uint32_t groups;
  uint32_t left_out; /* that did not fit into the message */
} tprt_control_groups_answer;
typedef struct tprt_control_group {
  uint32_t group, action, flags;
  int32_t owner;  /* the tool's process, in this process's namespace; 0: gone */
  uint32_t sites; /* that are on */
  uint32_t own;   /* 1: of the tool that asks */
  uint64_t hits;  /* counted or timed */
  uint64_t age;   /* nanoseconds since the attach */
} tprt_control_group;

/* Bits of tprt_control_read.detail. */
enum tprt_control_detail {
  /* A row for each function and thread, in place of one for each function. COUNTS
   * refuses it for groups without TPRT_CONTROL_PER_THREAD. */
  TPRT_CONTROL_DETAIL_THREADS = 1,
  /* Histograms. */
  TPRT_CONTROL_DETAIL_HISTOGRAMS = 2,
  /* Rows for each function, thread and return address. After each tprt_control_time
   * stands the return address in a uint64_t, before the buckets. It is 0 for calls for
   * which their thread had no more room: 4096 pairs of function and return address
   * have. Refused for groups without TPRT_CONTROL_PER_CALLER. */
  TPRT_CONTROL_DETAIL_CALLERS = 4,
  /* In the tool's own groups: only functions that have changed since the tool's last
   * reading, so that a reading costs little if little has happened. TIMES
   * gives all rows of such a function; what was told with HISTOGRAMS and without is kept
   * apart, and the other bits have to be the same each time. Where the tool was told
   * something else, there are rows without calls. COUNTS gives the rows that have changed.
   * Of other groups all rows come, as without this bit. */
  TPRT_CONTROL_DETAIL_CHANGED = 8
};

/* COUNTS, TIMES: what a group has counted or timed, page by page. */
typedef struct tprt_control_read {
  uint32_t group;
  /* enum tprt_control_detail. COUNTS knows THREADS and CHANGED alone. */
  uint32_t detail;
  /* Where the page begins: 0 and 0, or what the answer before says. */
  uint32_t from, from_row;
} tprt_control_read;

/* After it: `rows` of tprt_control_count or tprt_control_time. Only sites with hits
 * have rows. A site may have several rows of equal counts, where patterns by source
 * file and by name have both taken it. By thread, COUNTS has a row for each number that a
 * thread had: threads that had the same number, one after the other, share it. A
 * tprt_control_time is followed by its `buckets` words. In TIMES, `next_row` descends
 * within a site from page to page. */
enum tprt_control_read_flags {
  /* There is another page, which begins at `next` and `next_row`. */
  TPRT_CONTROL_READ_MORE = 1,
  /* The process is about to end, or to become another program. */
  TPRT_CONTROL_READ_ENDING = 2,
  /* With ENDING: it is about to become another program (exec). */
  TPRT_CONTROL_READ_EXEC = 4
};
typedef struct tprt_control_read_answer {
  uint32_t rows;
  /* enum tprt_control_read_flags. */
  uint32_t flags;
  uint32_t next, next_row;
  /* The counter when the page was made. */
  uint64_t ticks;
  /* Hits of all probes that were not delivered so far. */
  uint64_t missed;
  /* TIMES: calls that were not timed, because 4096 calls of their thread were open or
   * the thread got no memory. COUNTS: 0. */
  uint64_t untimed;
} tprt_control_read_answer;

typedef struct tprt_control_count {
  uint32_t site;
  /* As in tprt_control_time; 0 without TPRT_CONTROL_DETAIL_THREADS. */
  int32_t thread;
  uint64_t count;
} tprt_control_count;

typedef struct tprt_control_time {
  /* Of the function's entry. */
  uint32_t site;
  /* 0: all threads together, or several that followed one another. */
  int32_t thread;
  /* That ended. */
  uint64_t calls;
  /* Ticks. `total` lacks calls inside calls of the same function; `self` lacks what
   * other functions of the group took. */
  uint64_t total, self, longest;
  /* Calls that are in no histogram, as its memory has a bound. */
  uint64_t unplaced;
  /* Calls that ended without an exit, and calls that are under way. */
  uint32_t cut, open;
  /* enum tprt_control_time_flags. */
  uint32_t flags;
  /* How many words follow: bucket << 48 | count. */
  uint32_t buckets;
} tprt_control_time;

/* Bits of tprt_control_time.flags. */
enum tprt_control_time_flags {
  /* The function was called and has no exit sled, so its calls have no times. */
  TPRT_CONTROL_TIME_NO_EXIT = 1
};

/* The least number of ticks in a bucket of a histogram. Below 16 ticks each number has
 * a bucket; above, each doubling has 16 of equal width. */
static inline uint64_t tprt_control_bucket_start(uint32_t bucket) {
  uint64_t rest = bucket % 16;
  return bucket < 16 ? rest : (rest | 16) << (bucket / 16 - 1);
}

/* What RECORD does. */
typedef enum tprt_control_record_what {
  TPRT_CONTROL_RECORD_START = 0,
  TPRT_CONTROL_RECORD_ADD = 1,
  TPRT_CONTROL_RECORD_STOP = 2
} tprt_control_record_what;

/* RECORD. After the body: for START the file's path as in
 * tprt_recording_options.file; for ADD patterns or sites, whose answer is that of
 * ATTACH. ADD also begins a recording of TPRT_OPTIONS that waits for its first
 * function. The recording stops when the tool's connection ends, unless TPRT_CONTROL_KEEP. */
typedef struct tprt_control_record {
  tprt_control_selection selection;
  uint32_t what; /* enum tprt_control_record_what */
  uint32_t mode; /* enum tprt_recording_mode */
  uint64_t size;
  uint32_t arguments, results, strings; /* tprt_recording_values */
  uint32_t flags;                       /* TPRT_CONTROL_KEEP */
} tprt_control_record;

/* The answer to START is the path of the file that was made, which may differ from
 * the one that was asked for. STOP has an answer without a body. */

/* SNAPSHOT: the body is the path of the file. The answer has no body. */

/* GO has no body, and neither has its answer. A program that was started by this tool
 * with TPRT_OPTIONS=control=N, N being the tool's process, goes on to main(). One that
 * waits at its end ends, and may not answer any more. */

/* FIGURES has no body. */
typedef struct tprt_control_figures_answer {
  uint64_t modules, sites, enabled, bad_modules, missed, stub_bytes;
  /* Of the recording under way: tprt_recording_figures. */
  uint64_t words, lost, bytes;
  uint32_t recording, full;
} tprt_control_figures_answer;

#endif
