/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * libtprt: flips the sleds that tp put into a program into calls to a handler,
 * and back, while the program runs. See docs/runtime.md for a guide.
 *
 * Unless a function says otherwise it is thread-safe, is not
 * async-signal-safe, may allocate memory (from mmap, never from malloc), and
 * must not be called from inside a handler: there it returns
 * TPRT_STATUS_IN_HANDLER. No function is a cancellation point, though visit
 * callbacks may be cancelled (pthread_cancel). Nothing here ever ends the host
 * program: a pointer that no call here gave, or one to a probe that was
 * detached, gets TPRT_STATUS_INVALID_ARGUMENT, or 0 or NULL where there is no
 * status.
 */
#ifndef TPRT_TPRT_H
#define TPRT_TPRT_H

#include <stddef.h>
#include <stdint.h>

#include "tprt/regs.h"
#include "tprt/table.h"

#define TPRT_VERSION_MAJOR 0
#define TPRT_VERSION_MINOR 1
#define TPRT_VERSION_PATCH 0

#define TPRT_API __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wold-style-cast" /* this is C as well */
#endif

/* How a call ended. tprt_status_string() has a sentence for each. */
typedef enum tprt_status {
  TPRT_STATUS_OK = 0,
  TPRT_STATUS_NO_MATCH, /* no site matches the selector */
  TPRT_STATUS_NO_TABLE, /* no loaded module has a sled table */
  TPRT_STATUS_PARTIAL,  /* some sites were refused; the others are on */
  TPRT_STATUS_REFUSED,  /* every matching site was refused */
  TPRT_STATUS_INVALID_ARGUMENT,
  TPRT_STATUS_IN_HANDLER, /* not allowed from inside a handler */
  TPRT_STATUS_PENDING,    /* detached, but a thread is still in the handler */
  TPRT_STATUS_NO_MEMORY,
  TPRT_STATUS_NO_PERMISSION, /* the system does not let code be changed */
  TPRT_STATUS_NO_BARRIER,    /* the system cannot synchronise the cores */
  TPRT_STATUS_BAD_TABLE,     /* a table or note contradicts its module */
  /* Not here, more than this runtime takes, or a copy of the process that
   * fork() did not make and that cannot be used. */
  TPRT_STATUS_UNSUPPORTED,
  TPRT_STATUS_OTHER_COPY /* another copy of libtprt is in charge of this process
                          */
} tprt_status;

/* Why one site was refused. */
typedef enum tprt_refusal {
  TPRT_REFUSAL_NONE = 0,
  TPRT_REFUSAL_BYTES,      /* the bytes in memory are not what the table says */
  TPRT_REFUSAL_SHAPE,      /* the sled has no room for a jump */
  TPRT_REFUSAL_ALIGNMENT,  /* one store cannot flip it at this address */
  TPRT_REFUSAL_REACH,      /* no memory for a stub within reach */
  TPRT_REFUSAL_PERMISSION, /* the code there cannot be read or written */
  TPRT_REFUSAL_MAPPING,    /* shared mapping of the code, or in hugetlbfs */
  TPRT_REFUSAL_NOT_OPAQUE, /* the function was not compiled opaque, so it can't
                              be changed or replaced */
  TPRT_REFUSAL_ACTION,   /* this action is for entries of functions of the usual
                            calling convention */
  TPRT_REFUSAL_NO_NOPS,  /* no nops there, or none known to begin a function */
  TPRT_REFUSAL_DEBUGGER, /* it needs a trap, and a debugger is attached */
  TPRT_REFUSAL_SIGTRAP,  /* it needs a trap, and SIGTRAP's handler was replaced
                          */
  TPRT_REFUSAL_MOVED     /* BOLT moved the function's code: what is there is not
                            run any more */
} tprt_refusal;

/* One place in the code where a handler can be called. Valid as long as its
 * module is loaded; modules with sites in use are pinned. */
typedef struct tprt_site tprt_site;

/* What is known of a site. Strings live as long as the site. */
typedef struct tprt_site_info {
  const void *sled;     /* address of the sled */
  const void *function; /* entry address of its function */
  const char *name; /* symbol name as linked (mangled), or NULL if unknown */
  const char
      *module;   /* path of its module, "" never: the executable's real path */
  uint8_t event; /* enum tprt_record_event */
  uint8_t shape; /* enum tprt_record_shape */
  uint8_t live;  /* enum tprt_record_live: which integer registers a handler is
                    shown */
  uint8_t needs; /* enum tprt_record_needs */
  /* 1 while its sled leads to libtprt, 2 while it does by a trap; 0 also where
     others gave its bytes back. By the bytes now; inside a handler, as the last
     attach or detach left it. */
  uint8_t enabled;
  tprt_refusal refusal; /* the last reason it could not be flipped */
} tprt_site_info;

/* What a handler is told. Constant for a site, but for what `flags` says. */
typedef struct tprt_event {
  const tprt_site *site;
  uint32_t event; /* enum tprt_record_event: what the thread is doing */
  uint32_t flags; /* enum tprt_event_flags */
} tprt_event;

enum tprt_event_flags {
  TPRT_EVENT_VECTORS =
      1, /* a vector register may hold an argument or the result */
  TPRT_EVENT_TIMED = 2,  /* tprt_event_time() has the time */
  TPRT_EVENT_CHANGES = 4 /* changes of the registers reach the function */
};

/* Called at a hit, on the thread that hit: before the function's first
 * instruction (entry), or when it is about to return or to jump to another one
 * (exits). It may run in a signal handler, so what it calls must be
 * async-signal-safe there. errno is preserved around it, unless it declares
 * TPRT_HANDLER_GENERAL_REGS_ONLY. Floating-point exception flags and rounding
 * mode are the program's, and what the handler changes of them the program sees
 * (docs/limitations.md). Sleds hit while it runs on the same thread
 * are not delivered, but counted as missed. */
typedef void (*tprt_handler)(const tprt_event *event, const tprt_regs *regs,
                             void *data);

/* For a handler attached with TPRT_HANDLER_CHANGES_REGS: the same registers, to
 * be written. NULL in every other handler. */
static inline tprt_regs *tprt_regs_change(const tprt_event *event,
                                          const tprt_regs *regs) {
  return event->flags & TPRT_EVENT_CHANGES ? (tprt_regs *)(uintptr_t)regs
                                           : NULL;
}

/* The low 128 bits of the first eight vector registers, 16 bytes each, aligned
 * as the program's stack is: xmm0-7, q0-7. For handlers without
 * TPRT_HANDLER_GENERAL_REGS_ONLY; NULL where none holds an argument or result.
 * Written to, they reach the function under tprt_regs_change()'s conditions. */
static inline void *tprt_regs_vectors(const tprt_event *event,
                                      const tprt_regs *regs) {
  return event->flags & TPRT_EVENT_VECTORS
             ? (void *)((uintptr_t)regs - TPRT_REGS_TO_VECTORS)
             : NULL;
}

/* For a handler attached with TPRT_HANDLER_TIME: when the hit was delivered, in
 * ticks of the processor's constant-rate counter (x86-64: TSC, Intel SDM vol.
 * 3, 18.17; AArch64: CNTVCT_EL0). 0 in every other handler. */
static inline uint64_t tprt_event_time(const tprt_event *event) {
  return event->flags & TPRT_EVENT_TIMED ? *(const uint64_t *)(event + 1) : 0;
}

/* A span of such ticks in nanoseconds. Thread-safe; not async-signal-safe. The
 * first call in a process may wait for 20 ms, to measure how long a tick is;
 * later ones measure again from time to time, so that the same span may differ
 * in its last digits. Not for spans over a suspend of the machine. May be
 * called from inside a handler. */
TPRT_API uint64_t tprt_ticks_to_ns(uint64_t ticks);

/* What is to happen at a hit. */
typedef enum tprt_action_kind {
  TPRT_ACTION_CALL = 0, /* call `handler` */
  TPRT_ACTION_COUNT =
      1, /* count in a block of the thread's own: no call, no lock */
  TPRT_ACTION_REDIRECT = 2 /* run `replacement` in place of the function
                              (entries of opaque functions) */
} tprt_action_kind;

enum tprt_action_flags {
  /* The handler and all it calls touch no vector, mask or x87 register (for
   * instance built with -mgeneral-regs-only), and leave errno alone: the fast
   * path. Most functions of libc do use vectors. */
  TPRT_HANDLER_GENERAL_REGS_ONLY = 1,
  /* It changes arguments or the result; see tprt_regs_change(). Sites of
   * functions not compiled with -ftp-opaque are refused: there the compiler may
   * have used what it knows of them. */
  TPRT_HANDLER_CHANGES_REGS = 2,
  TPRT_HANDLER_TIME = 4 /* it asks for tprt_event_time() */
};

/* What does not belong to its kind must be zero, but data. */
typedef struct tprt_action {
  tprt_action_kind kind;
  uint32_t flags;       /* CALL: enum tprt_action_flags */
  tprt_handler handler; /* CALL */
  void *data;           /* CALL: handed to the handler */
  const void
      *replacement; /* REDIRECT: a function of the same type; must begin with a
                       landing pad where the program is run with IBT or BTI */
  uint32_t every; /* CALL: at each n-th of a thread's hits on a site since this
                     probe was attached; 0 and 1: at every hit. Hits inside a
                     handler are not among them */
} tprt_action;

enum tprt_selector_flags {
  /* Only modules that are loaded now. Without it a probe also takes the
   * matching sites of modules that are loaded later, until it is detached,
   * unless it was selected by address or by a list. See tprt_modules_refresh().
   */
  TPRT_SELECT_LOADED = 1,
  /* Nothing that matches now is no failure: the probe waits for a module. */
  TPRT_SELECT_AWAIT = 2,
  /* Also modules without a table of tp's that were built with plain
   * -fpatchable-function-entry. Opens the file of each loaded module once. */
  TPRT_SELECT_FOREIGN = 4,
  /* Sleds that no store can turn into a jump are flipped by a trap rather than
   * refused (x86-64): an int3, and a handler of SIGTRAP that is installed then,
   * and hands on what is not its own. A hit costs microseconds, and is the end
   * of the process where its thread has SIGTRAP blocked. Not under a debugger.
   * docs/runtime.md, "Sleds without room for a jump". */
  TPRT_SELECT_TRAPS = 8,
  TPRT_SELECT_ALL_FLAGS = 15
};

/* Sets of events. */
enum tprt_events {
  TPRT_EVENTS_ENTRY = 1 << TPRT_RECORD_ENTRY,
  TPRT_EVENTS_EXIT = 1 << TPRT_RECORD_EXIT | 1 << TPRT_RECORD_TAIL_EXIT,
  TPRT_EVENTS_ALL = TPRT_EVENTS_ENTRY | TPRT_EVENTS_EXIT
};

/* Which sites. Other fields than `events` left zero do not restrict; all given
 * ones must match. The strings are copied. */
typedef struct tprt_selector {
  const char *function; /* symbol name or glob (`*`, `?`, `[a-z]`), or
                           "module!function" */
  const char *module;  /* file name or glob of the module's base name or path */
  const void *address; /* address of the function's entry or of the sled */
  const tprt_site *const *sites; /* an explicit list of site_count sites */
  size_t site_count;
  uint32_t events; /* enum tprt_events; 0: entries */
  uint32_t flags;  /* enum tprt_selector_flags */
  const char
      *source; /* the source file's path or its last parts, or a glob of them;
                * needs the module's line table (-gline-tables-only) */
} tprt_selector;

typedef struct tprt_probe tprt_probe;

/* What an attach or detach did. */
typedef struct tprt_result {
  size_t matched; /* sites the selector found */
  size_t enabled; /* of them now on (detach: flipped back) */
  size_t refused;
  const tprt_site *first_refused; /* NULL if none */
  tprt_refusal first_refusal;
} tprt_result;

/* Attaches `action` to every site that `selector` finds, as one operation with
 * one set of barriers. On TPRT_STATUS_OK and TPRT_STATUS_PARTIAL *probe is set
 * and must be given to tprt_probe_detach; with TPRT_SELECT_AWAIT also where
 * nothing matched (NO_MATCH, NO_TABLE, BAD_TABLE). `result` may be NULL. */
TPRT_API tprt_status tprt_probe_attach(const tprt_selector *selector,
                                       const tprt_action *action,
                                       tprt_probe **probe, tprt_result *result);

/* Detaches. When it returns TPRT_STATUS_OK no thread is inside this probe's
 * handler and none will enter it, so its data may be freed and its library
 * closed; `probe` is gone. Waits for this probe's handler alone, so the
 * handlers of other probes may wait for the caller; a probe without a handler
 * waits for nobody. Waits up to timeout_ms milliseconds (-1: without limit); if
 * a thread is then still inside, or may be, TPRT_STATUS_PENDING: no further
 * hits are delivered, and the call is to be repeated to learn of the end.
 * PENDING comes at once where the handler may be suspended on a stack that the
 * calling thread itself has left. */
TPRT_API tprt_status tprt_probe_detach(tprt_probe *probe, int timeout_ms);

/* Hits counted so far by a TPRT_ACTION_COUNT probe, over all its sites and
 * threads, ended ones included. 0 for other probes and inside a handler. */
TPRT_API uint64_t tprt_probe_count(const tprt_probe *probe);

/* The same for each site: calls visit(site, count, data) until it returns
 * non-zero. The order is by address. */
TPRT_API void tprt_probe_counts(const tprt_probe *probe,
                                int (*visit)(const tprt_site *site,
                                             uint64_t count, void *data),
                                void *data);

/* Visits every site that `selector` finds (NULL: all) in the order of address
 * within each module, until visit returns non-zero. visit may not attach or
 * detach. OK, NO_MATCH, NO_TABLE, BAD_TABLE, INVALID_ARGUMENT, IN_HANDLER,
 * NO_MEMORY or OTHER_COPY. */
TPRT_API tprt_status tprt_sites_visit(const tprt_selector *selector,
                                      int (*visit)(const tprt_site *site,
                                                   void *data),
                                      void *data);

/* A function that does what the site's function did before it was redirected:
 * for a replacement to call. `site` must be an entry with a redirection; NULL
 * otherwise, or if there is no memory. Valid as long as its module is loaded.
 */
TPRT_API const void *tprt_site_original(const tprt_site *site);

/* Fills *info. Safe inside a handler as long as `name` was asked for once
 * before (the first call may read the module's symbol table). */
TPRT_API tprt_status tprt_site_describe(const tprt_site *site,
                                        tprt_site_info *info);

/* Looks for modules loaded or unloaded since the last look; probes by pattern
 * take their sites of the new ones (PARTIAL, REFUSED and so on if they could
 * not take all). Attach and visit do so by themselves, and so does a module's
 * own start where libtprt.so is among what it is linked against
 * (docs/runtime.md, "Modules loaded later"). */
TPRT_API tprt_status tprt_modules_refresh(void);

/* Figures about the runtime itself. */
typedef struct tprt_stats {
  size_t modules; /* with a table */
  size_t sites;
  size_t enabled;     /* sleds that lead to libtprt now */
  size_t bad_modules; /* with a table or note that was refused */
  uint64_t missed;    /* hits not delivered, because their thread was in a
                         handler, or got no memory */
  size_t stub_bytes;  /* memory mapped for stubs and their data words */
} tprt_stats;
TPRT_API void tprt_stats_read(tprt_stats *stats);

/* One sentence each; never NULL; constant strings. Async-signal-safe. */
TPRT_API const char *tprt_status_string(tprt_status status);
TPRT_API const char *tprt_refusal_string(tprt_refusal refusal);

/* The text of the last failure of a call on this thread: what, where, and what
 * to do next. "" if there was none. Valid until this thread's next call. */
TPRT_API const char *tprt_last_error(void);

/* "0.1.0" */
TPRT_API const char *tprt_version_string(void);

#ifdef __cplusplus
#pragma GCC diagnostic pop
}
#endif

#endif
