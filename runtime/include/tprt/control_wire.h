/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The messages between a process under control (tprt/control.h) and tpctl.
 * docs/reference/control.md is the guide. For readers in C and in C++.
 *
 * The socket is a Unix socket of type SOCK_SEQPACKET, so each message arrives
 * complete or not at all. The tool sends requests. The process answers each request
 * with one message, in the order of the requests. The process sends nothing else.
 * All numbers are in the machine's byte order, because both sides run on one
 * machine.
 *
 * A message is a tprt_control_head and the body of its type. Strings follow the
 * body, each with its final NUL, in the order that the body's comment gives.
 * Bytes beyond the known end of a body are strings only if the body's comment
 * says so. The answer to a message that breaks a rule is
 * TPRT_STATUS_INVALID_ARGUMENT.
 */
#ifndef TPRT_CONTROL_WIRE_H
#define TPRT_CONTROL_WIRE_H

#include <stdint.h>

/* Incremented whenever a reader would misread a changed message of an earlier writer, or an
 * earlier reader one of a later writer: also if the answer to a request has a new member. */
#define TPRT_CONTROL_VERSION 3

/* The length of the longest message, including its head. */
#define TPRT_CONTROL_MOST_BYTES 65536

/* The largest number of patterns in one request, and the length of the longest
 * pattern with its NUL. */
#define TPRT_CONTROL_MOST_PATTERNS 256
#define TPRT_CONTROL_MOST_PATTERN_BYTES 4096

/* The name of the thread that owns the socket. A tool finds the socket through
 * the descriptors of this thread in /proc. */
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
  TPRT_CONTROL_DETACH_SITES = 12,
  TPRT_CONTROL_ROWS = 13,
  TPRT_CONTROL_RUN_LOAD = 14,
  TPRT_CONTROL_RUN_LINES = 15,
  TPRT_CONTROL_RUN_MEMORY = 16,
  TPRT_CONTROL_SEMAPHORES = 17
} tprt_control_type;

/* The beginning of each message. An answer has the type and the id of its request.
 * If `status` is neither TPRT_STATUS_OK nor TPRT_STATUS_PARTIAL, the answer's body
 * is one string: what went wrong, and what to do next. */
typedef struct tprt_control_head {
  uint32_t bytes; /* of the message, including this head */
  uint16_t version;
  uint16_t type;  /* enum tprt_control_type */
  uint32_t id;    /* chosen by the tool */
  int32_t status; /* enum tprt_status; 0 in requests */
} tprt_control_head;

/* HELLO: the first request. Other requests are refused until this one has
 * arrived. */
typedef struct tprt_control_hello {
  /* TPRT_CONTROL_VERSION of the tool. */
  uint32_t version;
  /* enum tprt_control_hello_flags. */
  uint32_t flags;
} tprt_control_hello;

/* Bits of tprt_control_hello.flags. */
enum tprt_control_hello_flags {
  /* When the process ends by exit, _exit, quick_exit or abort, or executes another program,
   * it waits until the tool has sent GO. So the tool can read the last counts.
   * TPRT_CONTROL_READ_ENDING reports the end to the tool. The process waits as long as such
   * tools make progress (docs/reference/control.md). The process may still continue without
   * GO. Then readings lack that flag, and the process waits again at its next end. */
  TPRT_CONTROL_AWAIT_AT_END = 1,
  /* The process calls tprt_signal_translate(). If that call fails, the connection
   * is refused. */
  TPRT_CONTROL_SIGNALS = 2
};

/* Strings after it: libtprt's version, the program's path. */
typedef struct tprt_control_hello_answer {
  /* TPRT_CONTROL_VERSION of the process. */
  uint32_t version;
  /* The process's id in its own namespace. */
  int32_t pid;
  /* Identifies the process: forks and execs of one pid have different numbers.
   * The start time in /proc/PID/stat does not change at an exec. */
  uint64_t instance;
  /* The current time, in ticks of the counter that is used for all times, and
   * in nanoseconds of CLOCK_MONOTONIC. */
  uint64_t ticks, monotonic;
  /* Ticks per second, measured. */
  uint64_t ticks_per_second;
} tprt_control_hello_answer;

/* The beginning of a list of patterns, as part of LIST, ATTACH and RECORD. After the
 * request's body are `patterns` strings: globs as in tprt_selector.function,
 * including `module!function`. A pattern that begins with '@' is a source file, as
 * in tprt_selector.source. A pattern that begins with "point:" selects points.
 * Patterns that begin with '!' exclude functions and points that the others select.
 * If `sites` is not 0, there are no patterns. Instead `sites` numbers of uint32_t
 * follow: the sites that have these numbers in LIST. */
typedef struct tprt_control_selection {
  uint32_t patterns;
  uint32_t sites;
  uint32_t kinds; /* enum tprt_kind_set; 0 means entries */
  uint32_t flags; /* enum tprt_select_flags */
} tprt_control_selection;

/* LIST. If `from` is 0, the list is made anew. The answer gives the `from` of the
 * next page. */
typedef struct tprt_control_list {
  tprt_control_selection selection;
  uint32_t from;
  uint32_t reserved;
} tprt_control_list;

/* The answer is followed by: `rows` of tprt_control_site, then their strings. A
 * row's strings are the linked name, the module's path, the source file, the format,
 * and the sentence of a refusal. Each is given by its offset after the last row.
 * Offset 0 is the empty string. */
typedef struct tprt_control_list_answer {
  uint32_t total; /* rows of all pages together */
  uint32_t rows;  /* of this page */
  uint32_t next;  /* `from` of the next page; 0 means that this is the last
                   * page */
  uint32_t string_bytes;
} tprt_control_list_answer;

typedef struct tprt_control_site {
  uint64_t sled, function; /* addresses; for a point, `function` is 0 */
  uint64_t base;           /* load address of the module */
  uint32_t site;           /* its number, valid as long as its module is
                            * loaded */
  uint8_t kind, shape, state, refusal;
  uint32_t name, module, file, format; /* offsets of strings */
  uint32_t line;
  uint32_t why; /* the offset of the sentence of `refusal` */
  /* For a site in code without sleds: how its instruction would become a jump
   * (enum tprt_control_means), and the instruction's length in bytes.
   * For a point: its style (enum tprt_point_style), the number of its arguments, and in
   * `instruction` one letter for the type of each (enum tprt_argument_type). Earlier
   * libraries have zeros there.
   * 0 for all other sites. */
  uint8_t means, instruction_bytes;
  uint8_t instruction[22];
} tprt_control_site;

/* See docs/explanation/code-probes.md. */
enum tprt_control_means {
  TPRT_CONTROL_MEANS_NONE = 0, /* The instruction would not become a jump;
                                * tprt_control_site.refusal gives the reason. */
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
  /* For points only: print a line to the program's standard error. */
  TPRT_CONTROL_ACTION_PRINT = 2,
  /* Skip calls of profilers. The selection has TPRT_SELECT_PROFILERS. */
  TPRT_CONTROL_ACTION_SKIP = 3,
  /* Run a program at each hit of a function's entry, or at the end of each call, and add
   * the hit to the row of the keys that the program computes (tprt/control_program.h).
   * If the selection's `kinds` are TPRT_KIND_SET_POINT or TPRT_KIND_SET_INSTRUCTION alone, the
   * program runs at each hit of a point or an instruction. Otherwise the selection selects
   * functions, and its `kinds` have no effect. */
  TPRT_CONTROL_ACTION_AGGREGATE = 4,
  /* Only follow which calls of functions are open in each thread, for the programs that
   * this tool attaches or records with later (INSIDE and DEPTH). The selection selects
   * functions; its `kinds` have no effect. Calls are followed that begin after the answer,
   * of functions of which all exits are probed; the answer's string says if there are
   * others. Earlier libraries refuse this action. */
  TPRT_CONTROL_ACTION_SCOPE = 5,
  /* Call a handler of a file that RUN_LOAD has loaded: a tprt_control_run_handler follows
   * the selection. */
  TPRT_CONTROL_ACTION_RUN = 6
} tprt_control_action;

/* Bits of tprt_control_attach.flags. */
enum tprt_control_attach_flags {
  /* The group remains when the tool's connection ends. */
  TPRT_CONTROL_KEEP = 1,
  /* When counting hits: COUNTS can distinguish threads. */
  TPRT_CONTROL_PER_THREAD = 2,
  /* When timing calls: keep separate times for each return address, so that TIMES can
   * distinguish callers. A timed call then costs some nanoseconds more. */
  TPRT_CONTROL_PER_CALLER = 4,
  /* The patterns are only names: GROUPS shows them, and DETACH identifies the group by
   * them. These patterns select nothing, and need not be globs. The tool applies them
   * itself, and attaches the selected sites by number. Until sites are attached,
   * GROUPS does not show the group. */
  TPRT_CONTROL_NAMES_ONLY = 8
};

/* ATTACH: makes a group of probes, or adds sites to one. If `group` is not 0,
 * the action must be the group's. */
typedef struct tprt_control_attach {
  tprt_control_selection selection;
  uint32_t group;  /* 0 means a new group */
  uint32_t action; /* enum tprt_control_action */
  uint32_t flags;  /* enum tprt_control_attach_flags */
  /* With TPRT_CONTROL_ACTION_AGGREGATE: the bytes of a program, which follows the strings
   * or numbers of the selection. 0 with TPRT_CONTROL_NAMES_ONLY. Programs of one group
   * have the same kinds of keys, and no function is selected twice. With
   * TPRT_CONTROL_ACTION_RUN: the bytes of a tprt_control_run_handler. For the other actions
   * 0. */
  uint32_t program;
} tprt_control_attach;

/* SEMAPHORES: adds 1 to semaphores of USDT probes: numbers of 16 bits, which tell the
 * program that the probes are watched. The process subtracts it again when the group ends,
 * or with `group` 0 when the recording ends. After the body come `count` addresses of
 * uint64_t. A semaphore is refused if it is not in writable memory of a module with sites
 * that are on, or whose code cannot be unloaded. Earlier libraries refuse the request. */
typedef struct tprt_control_semaphores {
  uint32_t group;
  uint32_t count; /* at most TPRT_CONTROL_MOST_SEMAPHORES */
} tprt_control_semaphores;
#define TPRT_CONTROL_MOST_SEMAPHORES 1024
typedef struct tprt_control_semaphores_answer {
  uint32_t raised, refused;
} tprt_control_semaphores_answer;

/* How many functions with refused sites the answer to ATTACH names at most. */
#define TPRT_CONTROL_MOST_REFUSED 4

/* One string after it: why some sites were refused, or "". After that string come up to
 * TPRT_CONTROL_MOST_REFUSED numbers of uint32_t: refused sites, as in LIST, of different
 * functions. Earlier libraries send no numbers. */
typedef struct tprt_control_attach_answer {
  uint32_t group;
  uint32_t matched, enabled, refused;
} tprt_control_attach_answer;

/* DETACH: detaches groups. After the body come `patterns` patterns. They
 * restrict the request to groups that were attached with one of them. The
 * answer has a tprt_control_detach_answer. PENDING means that a thread is still
 * in a handler. */
typedef struct tprt_control_detach {
  uint32_t group; /* 0 means all groups of all tools */
  uint32_t patterns;
} tprt_control_detach;
typedef struct tprt_control_detach_answer {
  uint32_t groups; /* how many groups were detached */
  uint32_t reserved;
} tprt_control_detach_answer;

/* DETACH_SITES: detaches functions from a group of this tool, which counts or times.
 * The group's other functions remain attached. After the body come `sites` numbers
 * of uint32_t: the sites of the functions' entries, as in LIST, COUNTS and TIMES.
 * The exits of a function are detached together with its entry. Points remain
 * attached, and numbers that are not in the group have no effect. TIMES keeps the
 * sums of the functions; COUNTS omits the functions from then on. */
typedef struct tprt_control_detach_sites {
  uint32_t group;
  uint32_t sites;
} tprt_control_detach_sites;
typedef struct tprt_control_detach_sites_answer {
  uint32_t sites; /* how many sites were detached, including exits */
  uint32_t reserved;
} tprt_control_detach_sites_answer;

/* The request GROUPS has no body. The answer is followed by: `groups` of
 * tprt_control_group, then for each group its patterns in one string, separated
 * by spaces. */
typedef struct tprt_control_groups_answer {
  uint32_t groups;
  uint32_t left_out; /* groups that did not fit into the message */
} tprt_control_groups_answer;
typedef struct tprt_control_group {
  uint32_t group, action, flags;
  int32_t owner;  /* the tool's process, in this process's namespace; 0 means
                   * that the tool has ended */
  uint32_t sites; /* sites that are on */
  uint32_t own;   /* 1 if the group belongs to the requesting tool */
  uint64_t hits;  /* hits that were counted or timed */
  uint64_t age;   /* nanoseconds since the attach */
} tprt_control_group;

/* Bits of tprt_control_read.detail. */
enum tprt_control_detail {
  /* One row for each function and thread, instead of one row for each function.
   * COUNTS refuses this bit for groups without TPRT_CONTROL_PER_THREAD. */
  TPRT_CONTROL_DETAIL_THREADS = 1,
  /* Histograms. */
  TPRT_CONTROL_DETAIL_HISTOGRAMS = 2,
  /* Rows for each function, thread and return address. After each tprt_control_time,
   * and before the buckets, the return address follows in a uint64_t. The address is 0
   * for calls that found no room in their thread's table, which holds 4096 pairs of
   * function and return address. Refused for groups without
   * TPRT_CONTROL_PER_CALLER. */
  TPRT_CONTROL_DETAIL_CALLERS = 4,
  /* In the tool's own groups, only functions that have changed since the tool's last
   * reading. So a reading is cheap if few functions have changed. TIMES sends all rows of
   * such a function. Readings with and without HISTOGRAMS are tracked separately, and the
   * other bits must be the same in each reading. If the tool has received other values
   * before, some rows have no calls. COUNTS sends only the rows that have changed. For
   * other groups all rows are sent, as without this bit. */
  TPRT_CONTROL_DETAIL_CHANGED = 8,
  /* ROWS, of a group of pairs: a tprt_control_pairs is before the rows. */
  TPRT_CONTROL_DETAIL_PAIRS = 16
};

/* COUNTS, TIMES, ROWS: what a group has counted, timed or aggregated, page by page. */
typedef struct tprt_control_read {
  uint32_t group;
  /* enum tprt_control_detail. COUNTS accepts only THREADS and CHANGED, ROWS only
   * CHANGED and PAIRS. */
  uint32_t detail;
  /* Where the page begins: 0 and 0, or the values from the answer before. */
  uint32_t from, from_row;
} tprt_control_read;

/* The answer is followed by: `rows` of tprt_control_count or tprt_control_time. Only
 * sites with hits have rows. A site may have several rows of equal counts, if patterns by
 * source file and by name have both selected it. With THREADS, COUNTS has one row for
 * each thread number. Threads that had the same number one after the other share that
 * row. A tprt_control_time is followed by its `buckets` words. In TIMES, `next_row`
 * decreases from page to page within a site. */
enum tprt_control_read_flags {
  /* There is another page, which begins at `next` and `next_row`. */
  TPRT_CONTROL_READ_MORE = 1,
  /* The process is about to end, or to execute another program. */
  TPRT_CONTROL_READ_ENDING = 2,
  /* Together with ENDING: the process is about to execute another program
   * (exec). */
  TPRT_CONTROL_READ_EXEC = 4,
  /* For ROWS: a program has ended the group (STOP_IF). The rows are complete, and get no
   * more hits. `ticks` is the time of the last hit. */
  TPRT_CONTROL_READ_STOPPED = 8
};
typedef struct tprt_control_read_answer {
  uint32_t rows;
  /* enum tprt_control_read_flags. */
  uint32_t flags;
  uint32_t next, next_row;
  /* The counter's value when the page was made. */
  uint64_t ticks;
  /* Hits of all probes that were not delivered so far. */
  uint64_t missed;
  /* For TIMES: calls that were not timed, because 4096 calls of their thread were
   * open or the thread received no memory. For COUNTS: 0. */
  uint64_t untimed;
} tprt_control_read_answer;

typedef struct tprt_control_count {
  uint32_t site;
  /* As in tprt_control_time; 0 without TPRT_CONTROL_DETAIL_THREADS. */
  int32_t thread;
  uint64_t count;
} tprt_control_count;

typedef struct tprt_control_time {
  /* Site of the function's entry. */
  uint32_t site;
  /* 0 means all threads together, or several threads that followed one
   * another. */
  int32_t thread;
  /* Completed calls. */
  uint64_t calls;
  /* Times in ticks, without those of the calls that `cut` counts. `total` excludes calls
   * inside calls of the same function; `self` excludes the time in other functions of the
   * group. */
  uint64_t total, self, longest;
  /* Calls that are in no histogram, because its memory is bounded. */
  uint64_t unplaced;
  /* Calls that ended without an exit: they count in `calls`, and when they ended is not
   * known. And calls that are in progress. */
  uint32_t cut, open;
  /* enum tprt_control_time_flags. */
  uint32_t flags;
  /* How many bucket words follow. Each word is bucket << 48 | count. */
  uint32_t buckets;
} tprt_control_time;

/* Bits of tprt_control_time.flags. */
enum tprt_control_time_flags {
  /* The function was called and has no exit sled, so its calls have no times. Such a row is
   * sent although it has no calls. */
  TPRT_CONTROL_TIME_NO_EXIT = 1
};

/* ROWS is answered by this structure and `read.rows` rows. Each thread has rows of its own,
 * so several rows may have the same keys; the tool adds them up. With CHANGED, only rows
 * that have got hits since the last reading. */
typedef struct tprt_control_rows_answer {
  tprt_control_read_answer read; /* `untimed`: hits that found no memory */
  uint64_t unread;               /* hits with an unknown condition */
  uint64_t left;                 /* calls that were left by an exception or longjmp, if programs run at ends */
} tprt_control_rows_answer;

/* Hits of programs of pairs (TPRT_PROGRAM_STARTS_PAIR). */
typedef struct tprt_control_pairs {
  uint64_t started;  /* starts, also those that were replaced or found no room */
  uint64_t ended;    /* ends of pairs */
  uint64_t unpaired; /* ends without a start */
  uint64_t replaced; /* starts whose key was started again before an end */
  uint64_t full;     /* starts that found no room */
} tprt_control_pairs;

/* With TPRT_PROGRAM_OPEN_PAIRS, the `hits`, the `sum` and the `unknown` of a row are those of
 * pairs that have not ended, and `least` and `greatest` those of all pairs. With CHANGED, rows
 * with pairs that have ended are sent as well.
 *
 * A row is followed by its keys, which are filled up with zeros to a multiple of 8 bytes,
 * and by its buckets: words of bucket << 48 | count, as in tprt_control_time, of the
 * values that are not negative. With TPRT_CONTROL_ROW_SELF, one more word is the sum of its
 * hits' own times in nanoseconds (TPRT_PROGRAM_SELF). Calls whose duration is unknown add
 * nothing to it. */
typedef struct tprt_control_row {
  uint64_t hits;
  /* These count only hits with a known value. `sum` is modulo 2^64. If the programs have
   * TPRT_PROGRAM_FLOAT_VALUE, these are the bits of doubles. */
  int64_t sum, least, greatest;
  uint64_t unknown;  /* hits with an unknown value */
  uint64_t negative; /* hits with a negative value */
  uint64_t unplaced; /* hits in no bucket, because the memory is bounded */
  /* Identify the row: it has the same numbers and keys in later readings. */
  uint32_t table, number;
  uint32_t flags; /* enum tprt_control_row_flags */
  uint16_t key_bytes, buckets;
} tprt_control_row;

/* Bits of tprt_control_row.flags. */
enum tprt_control_row_flags {
  /* The row has no keys. It is for hits for which there was no room for another row: a
   * thread's table has 16383 rows, and 1 MiB of keys. */
  TPRT_CONTROL_ROW_OTHERS = 1,
  TPRT_CONTROL_ROW_SELF = 2
};

/* The smallest number of ticks in a bucket of a histogram. Below 16 ticks each number
 * has its own bucket. Above that, each doubling has 16 buckets of equal width. */
static inline uint64_t tprt_control_bucket_start(uint32_t bucket) {
  uint64_t rest = bucket % 16;
  return bucket < 16 ? rest : (rest | 16) << (bucket / 16 - 1);
}

/* The operations of RECORD. */
typedef enum tprt_control_record_what {
  TPRT_CONTROL_RECORD_START = 0,
  TPRT_CONTROL_RECORD_ADD = 1,
  TPRT_CONTROL_RECORD_STOP = 2,
  /* ADD with a program, which decides whether a call is recorded, and computes values that
   * are recorded with the call. Earlier libraries refuse it. */
  TPRT_CONTROL_RECORD_ADD_PROGRAM = 3
} tprt_control_record_what;

/* RECORD. After the body: for START the file's path as in tprt_recording_options.file; for
 * ADD patterns or sites. With ADD_PROGRAM, a tprt_control_record_program follows them. The
 * answer to ADD is the same as to ATTACH. If a recording of
 * TPRT_OPTIONS waits for its first function, ADD also begins that recording. Without
 * TPRT_CONTROL_KEEP, the recording stops when the tool's connection ends. */
typedef struct tprt_control_record {
  tprt_control_selection selection;
  uint32_t what; /* enum tprt_control_record_what */
  uint32_t mode; /* enum tprt_recording_mode */
  uint64_t size;
  uint32_t arguments, results, strings; /* tprt_recording_values */
  uint32_t flags;                       /* TPRT_CONTROL_KEEP */
} tprt_control_record;

/* Followed by `program` bytes of a program (tprt/control_program.h), and by `values` bytes
 * that describe its keys: a tprt_trace_value for each, and the strings, as in the record
 * VALUES of the recording (tprt/trace_file.h). The selection selects functions, no points.
 * The program's HISTOGRAM and VALUE have no effect. `arguments`, `results` and `strings` of
 * the request have to be 0. */
typedef struct tprt_control_record_program {
  uint32_t program;
  uint32_t values; /* at most TPRT_CONTROL_MOST_VALUE_BYTES */
} tprt_control_record_program;
#define TPRT_CONTROL_MOST_VALUE_BYTES 32768

/* The answer to START is the path of the created file, which may differ from the
 * requested path. The answer to STOP has no body. */

/* SNAPSHOT: the body is the path of the file. The answer has no body. */

/* GO has no body. If this tool started the program with
 * TPRT_OPTIONS=control=N, where N is the tool's process, the program then continues to
 * main(). If the program waits at its end, it then ends, possibly without an
 * answer. */
typedef struct tprt_control_go_answer {
  /* 1 if the program was to wait at its start, and has continued before this GO: its first
   * calls may be missing. libtprt 0.1 sends an answer without a body. */
  uint32_t late;
} tprt_control_go_answer;

/* RUN_LOAD: a part of a file of handlers (tprt/run.h). `bytes` bytes of the file follow, from
 * `at` on; the parts come in order. The first part has `run` 0, and the answer gives the
 * file's number. When the last part has arrived, the file is loaded. It is unloaded when the
 * connection has ended, its groups are detached, and no thread is in one of its handlers. A
 * child of fork() does not keep it. */
typedef struct tprt_control_run_load {
  uint32_t version; /* TPRT_RUN_VERSION */
  uint32_t run;
  uint64_t total; /* the size of the file */
  uint64_t at;
  uint32_t bytes, reserved;
} tprt_control_run_load;
typedef struct tprt_control_run_load_answer {
  uint32_t run;
  uint32_t loaded; /* 1 after the last part */
  uint64_t base;   /* the address of the file's address 0, or 0 */
} tprt_control_run_load_answer;

/* What follows the selection of an ATTACH with TPRT_CONTROL_ACTION_RUN. */
typedef struct tprt_control_run_handler {
  uint32_t run;
  uint32_t flags;   /* enum tprt_run_flags; the selection has the kinds of sites */
  uint64_t handler; /* the handler's address in the file */
} tprt_control_run_handler;

/* RUN_LINES: the next lines that the handlers have printed. */
typedef struct tprt_control_run_lines {
  uint32_t run, reserved;
} tprt_control_run_lines;
/* `lines` lines follow, each a uint32_t with the number of its bytes, and the bytes. */
typedef struct tprt_control_run_lines_answer {
  uint32_t lines;
  uint32_t flags; /* enum tprt_control_read_flags; MORE: ask again */
  uint64_t ticks;
  uint64_t lost;   /* lines for which there was no room, so far */
  uint64_t missed; /* hits of all probes that were not delivered so far */
  uint32_t groups; /* those that have handlers of the file, also groups that were detached
                    * while a thread was in a handler */
  uint32_t reserved;
} tprt_control_run_lines_answer;

/* RUN_MEMORY: a part of the file's memory, in which its tables are. The answer has the
 * bytes. */
typedef struct tprt_control_run_memory {
  uint32_t run;
  uint32_t bytes; /* at most TPRT_CONTROL_MOST_RUN_BYTES */
  uint64_t at;    /* the address in the file */
} tprt_control_run_memory;
/* The most bytes in a RUN_LOAD, and in the answer to RUN_MEMORY. */
#define TPRT_CONTROL_MOST_RUN_BYTES 61440

/* FIGURES has no body. */
typedef struct tprt_control_figures_answer {
  uint64_t modules, sites, enabled, bad_modules, missed, stub_bytes;
  /* Figures of the current recording: tprt_recording_figures. */
  uint64_t words, lost, bytes;
  uint32_t recording; /* 0: there is none; or TPRT_CONTROL_RECORDING_STOPPED */
  uint32_t full;
} tprt_control_figures_answer;

/* A program has ended the recording (STOP_IF): it has all calls that it will have, but it
 * goes on for the exits of these calls. */
#define TPRT_CONTROL_RECORDING_STOPPED 2

#endif
