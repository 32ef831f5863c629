/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * libtprt: flips the sleds that tp put into a program into calls to a handler,
 * and back, while the program runs. docs/reference/runtime.md is the guide.
 *
 * Unless its comment says otherwise, a function here
 *  - is thread-safe and not async-signal-safe;
 *  - may allocate memory, from mmap and never from malloc;
 *  - must not be called from inside a handler, where it returns TPRT_STATUS_IN_HANDLER;
 *  - never ends the host program. A pointer that no call here gave, or one to a
 *    probe that was detached, gets TPRT_STATUS_INVALID_ARGUMENT, or 0 or NULL
 *    where there is no status.
 * A function whose comment says that it is async-signal-safe may be called from inside
 * a handler, too.
 *
 * Attaching is a cancellation point (pthread_cancel) at its beginning. No other
 * function is one, but visitors may be cancelled.
 *
 * Names: a function is tprt_OBJECT_VERB, or tprt_OBJECT_PROPERTY where it only
 * answers; the constants of enum tprt_TYPE are TPRT_TYPE_VALUE, and those of
 * enum tprt_TYPE_flags TPRT_TYPE_VALUE as well, to be joined by `|`.
 */
#ifndef TPRT_TPRT_H
#define TPRT_TPRT_H

#include <stddef.h>
#include <stdint.h>

#include "tprt/event.h"
#include "tprt/regs.h"
#include "tprt/table.h"

#define TPRT_VERSION_MAJOR 0
#define TPRT_VERSION_MINOR 2
#define TPRT_VERSION_PATCH 0

/* The version as one number, which grows with each version. */
#define TPRT_VERSION (TPRT_VERSION_MAJOR << 16 | TPRT_VERSION_MINOR << 8 | TPRT_VERSION_PATCH)

#define TPRT_API __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wold-style-cast" /* this is C as well */
#endif

/* How a call ended. tprt_status_string() has a sentence for each. */
typedef enum tprt_status {
  TPRT_STATUS_OK = 0,
  /* No site matches the selector. */
  TPRT_STATUS_NO_MATCH,
  /* No loaded module has a sled table, or points. */
  TPRT_STATUS_NO_TABLE,
  /* Some sites were refused. The others are on. */
  TPRT_STATUS_PARTIAL,
  /* Every matching site was refused. */
  TPRT_STATUS_REFUSED,
  TPRT_STATUS_INVALID_ARGUMENT,
  /* The call is not allowed from inside a handler. */
  TPRT_STATUS_IN_HANDLER,
  /* The probe is detached, but a thread is still in its handler. */
  TPRT_STATUS_PENDING,
  TPRT_STATUS_NO_MEMORY,
  /* The system does not let code be changed. */
  TPRT_STATUS_NO_PERMISSION,
  /* The system cannot synchronise the cores. */
  TPRT_STATUS_NO_BARRIER,
  /* A table or note contradicts its module. */
  TPRT_STATUS_BAD_TABLE,
  /* This runtime cannot do it: it is not made for this system, it is asked for
   * more than it takes, the caller was compiled with the header of a version
   * that it does not know, or the process is a copy that fork() did not make. */
  TPRT_STATUS_UNSUPPORTED,
  /* Another copy of libtprt is in charge of this process. */
  TPRT_STATUS_OTHER_COPY,
  /* A file cannot be made or written. */
  TPRT_STATUS_NO_FILE
} tprt_status;

/* Why one site was refused. tprt_refusal_string() has a sentence for each. */
typedef enum tprt_refusal {
  TPRT_REFUSAL_NONE = 0,
  /* The bytes in memory are not what the table says. */
  TPRT_REFUSAL_BYTES,
  /* The sled has no room for a jump. */
  TPRT_REFUSAL_SHAPE,
  /* One store cannot flip the sled at this address. */
  TPRT_REFUSAL_ALIGNMENT,
  /* There is no memory for a stub within reach, or a point's code is out of its static branch's. */
  TPRT_REFUSAL_REACH,
  /* The code there cannot be read or written, or new code cannot be made executable. */
  TPRT_REFUSAL_PERMISSION,
  /* The code is mapped shared, or lies in hugetlbfs. */
  TPRT_REFUSAL_MAPPING,
  /* The function was not compiled opaque, so its calls cannot be changed or replaced. */
  TPRT_REFUSAL_NOT_OPAQUE,
  /* The action is not for this site. A redirection is for entries of functions of the
   * usual calling convention. A skip is for calls of profilers. Nothing changes what a
   * point is given. At a call of a profiler only some actions change registers
   * (docs/explanation/code-probes.md). */
  TPRT_REFUSAL_ACTION,
  /* No nops are there, or none that are known to begin a function. */
  TPRT_REFUSAL_NO_NOPS,
  /* The site needs a trap, and a debugger is attached. */
  TPRT_REFUSAL_DEBUGGER,
  /* The site needs a trap, and SIGTRAP may not reach libtprt there: its handler was replaced, a
   * thread blocks the signal, or the site is in code of the C library, which blocks it. */
  TPRT_REFUSAL_SIGTRAP,
  /* BOLT moved the function's code, so the code at this address does not run any more. */
  TPRT_REFUSAL_MOVED,
  /* Code without a sled: a jump of the function leads into the bytes that would change. */
  TPRT_REFUSAL_BRANCH,
  /* The same: the function could not be decoded to its end, so what leads where in it is
   * unknown. */
  TPRT_REFUSAL_DECODE,
  /* The same: the instruction runs only at its own place, for example a call, a system
   * call, or one of a restartable sequence (rseq). Or it is one inside a function that sets the direction flag. */
  TPRT_REFUSAL_INSTRUCTION,
  /* The same: no jump fits over the instruction without changing other instructions. */
  TPRT_REFUSAL_ROOM,
  /* The same: a jump through a register or memory, and it is not known whether it leaves
   * the function or is a switch's. */
  TPRT_REFUSAL_SWITCH,
  /* The same: a sled of XRay's lies there, which XRay's runtime changes. */
  TPRT_REFUSAL_XRAY,
  /* The same: no instruction begins at that address or offset. */
  TPRT_REFUSAL_BOUNDARY,
  /* The same, on AArch64: the instruction is no nop, b or bl. No other may be exchanged
   * while threads execute it. */
  TPRT_REFUSAL_EXCHANGE
} tprt_refusal;

/* Whether a site's sled leads to libtprt, by the bytes that are there now. Where
 * others gave the sled's bytes back, its site is off. Inside a handler: the state
 * that the last attach or detach left. */
typedef enum tprt_site_state {
  TPRT_SITE_STATE_OFF = 0,
  TPRT_SITE_STATE_ON = 1,
  /* On, by an int3 (TPRT_SELECT_TRAPS). */
  TPRT_SITE_STATE_TRAP = 2
} tprt_site_state;

/* What is known of a site. Strings live as long as the site. */
typedef struct tprt_site_info {
  /* Address of the sled. */
  const void *sled;
  /* Entry address of its function. NULL at a point: it is not known there. */
  const void *function;
  /* Symbol name as linked (mangled), or NULL if unknown. A point's own name. */
  const char *name;
  /* Path of its module; of the executable the real path. Never "". */
  const char *module;
  /* enum tprt_kind. */
  uint8_t kind;
  /* enum tprt_shape. */
  uint8_t shape;
  /* enum tprt_live: which integer registers a handler is shown. */
  uint8_t live;
  /* enum tprt_needs. */
  uint8_t needs;
  /* enum tprt_site_state. */
  uint8_t state;
  /* The last reason why the site could not be flipped. */
  tprt_refusal refusal;
  /* Points only, else NULL or 0: the source file as the compiler was given it, and
   * the line. */
  const char *file;
  uint32_t line;
  /* enum tprt_style. */
  uint8_t style;
  /* The format as written, and a letter for each argument's type (table.h). */
  const char *format;
  const char *types;
  const struct tprt_descriptor *descriptor;
} tprt_site_info;

/* Converts a span of tprt_event_time()'s ticks into nanoseconds. The first call in a
 * process may wait for 20 ms, to measure how long a tick is. Later calls measure again
 * from time to time, so the same span may differ in its last digits. Not for spans over
 * a suspend of the machine. May be called from inside a handler. */
TPRT_API uint64_t tprt_ticks_to_ns(uint64_t ticks);

/* What is to happen at a hit. */
typedef enum tprt_action_kind {
  /* Call `handler`. */
  TPRT_ACTION_CALL = 0,
  /* Count in a block of the thread's own: no call, no lock. */
  TPRT_ACTION_COUNT = 1,
  /* Run `replacement` in place of the function: at entries of opaque functions, and of
   * functions without sleds (TPRT_SELECT_CODE). */
  TPRT_ACTION_REDIRECT = 2,
  /* Skip the call of a profiler that the site is (TPRT_SELECT_PROFILERS): the profiler is
   * not called until the probe is detached. Other actions at the site go on to have their
   * hits. Other sites are refused. */
  TPRT_ACTION_SKIP = 3
} tprt_action_kind;

/* Bits of tprt_action.flags: what the handler promises or asks for. */
enum tprt_handler_flags {
  /* The handler, and all that it calls, touches no vector, mask or x87 register
   * (it is built with -mgeneral-regs-only, for instance) and leaves errno alone.
   * This is the fast path. Most functions of libc do use vectors. */
  TPRT_HANDLER_GENERAL_REGS_ONLY = 1,
  /* The handler changes arguments or the result; see tprt_regs_change(). Sites of
   * functions not compiled with -ftp-opaque are refused: there the compiler may
   * have used what it knows of arguments and result. At sites in code without sleds
   * the caller has to know that it did not (docs/explanation/code-probes.md). */
  TPRT_HANDLER_CHANGES_REGS = 2,
  /* The handler asks for tprt_event_time(). */
  TPRT_HANDLER_TIME = 4
};

/* What is to be done at a site. A field that does not belong to the action's kind
 * must be zero, except `data`. */
typedef struct tprt_action {
  tprt_action_kind kind;
  /* CALL: enum tprt_handler_flags. */
  uint32_t flags;
  /* CALL. */
  tprt_handler handler;
  /* CALL: handed to the handler. */
  void *data;
  /* REDIRECT: a function of the same type. It must begin with a landing pad where
   * the program runs with IBT or BTI. */
  const void *replacement;
  /* CALL: call the handler at each n-th of a thread's hits on a site since this
   * probe was attached. 0 and 1 mean every hit. Hits inside a handler do not count. */
  uint32_t every;
} tprt_action;

/* Bits of tprt_selector.flags. */
enum tprt_select_flags {
  /* Take only modules that are loaded now. Without this flag a probe also takes the
   * matching sites of modules that are loaded later, until it is detached, unless
   * it was selected by address or by a list. See tprt_module_refresh(). */
  TPRT_SELECT_LOADED = 1,
  /* It is no failure that nothing matches now: the probe waits for a module. */
  TPRT_SELECT_AWAIT = 2,
  /* Take also modules without a table of tp's that were built with plain
   * -fpatchable-function-entry. This opens the file of each loaded module once. */
  TPRT_SELECT_PATCHABLE = 4,
  /* Flip sleds that no store can turn into a jump by a trap, rather than refuse
   * them (x86-64): an int3, and a handler of SIGTRAP that is installed then and
   * hands on what is not its own. A hit costs microseconds, and ends the process
   * where its thread has SIGTRAP blocked. With TPRT_SELECT_CODE, programs that block all
   * signals have SIGTRAP open from then on (docs/reference/runtime-limits.md). Not under a debugger.
   * docs/reference/runtime.md, "Sleds without room for a jump". */
  TPRT_SELECT_TRAPS = 8,
  /* Take also functions without a sled, in the code of any module: their entries,
   * returns and tail exits, on AArch64 where these are a nop, b or bl. libtprt-code.so decodes the code of each module that the
   * selector's `module` matches, once; that takes some milliseconds per megabyte of code.
   * docs/explanation/code-probes.md says which instructions can be probed. */
  TPRT_SELECT_CODE = 16,
  /* Take the calls of profilers instead, which compilers put into each function: of mcount and
   * __fentry__ (-pg), __cyg_profile_func_enter (-finstrument-functions), and the nops of
   * -mnop-mcount that -mrecord-mcount lists, as entries; of __cyg_profile_func_exit as exits. A hit
   * takes the place of the call. docs/explanation/code-probes.md, "Calls of profilers". */
  TPRT_SELECT_PROFILERS = 32,
  TPRT_SELECT_ALL_FLAGS = 63
};

/* Sets of kinds of sites, for tprt_selector.kinds. */
enum tprt_kind_set {
  TPRT_KIND_SET_ENTRY = 1 << TPRT_KIND_ENTRY,
  /* Returns and tail exits. */
  TPRT_KIND_SET_EXIT = 1 << TPRT_KIND_EXIT | 1 << TPRT_KIND_TAIL_EXIT,
  /* Entries and exits, but no points. */
  TPRT_KIND_SET_ALL = TPRT_KIND_SET_ENTRY | TPRT_KIND_SET_EXIT,
  /* Points (tprt/trace.h), by their names. */
  TPRT_KIND_SET_POINT = 1 << TPRT_KIND_POINT,
  /* Single instructions of functions without a sled (TPRT_SELECT_CODE). */
  TPRT_KIND_SET_INSTRUCTION = 1 << TPRT_KIND_INSTRUCTION
};

/* Which sites. A field that is zero does not restrict, except `kinds`. A site must
 * match all that are given. The strings are copied. */
typedef struct tprt_selector {
  /* Symbol name or glob (`*`, `?`, `[a-z]`, `{a,b}`), or "module!function". Of a point
   * its own name. With TPRT_SELECT_CODE also "function+0x10", the instruction so many
   * bytes behind its beginning; "function+*", all its instructions; "0x4711", an address.
   * These make `kinds` TPRT_KIND_SET_INSTRUCTION: it may be 0 or that, or without exits. */
  const char *function;
  /* File name, or glob of the module's base name or path. */
  const char *module;
  /* Address of the function's entry or of the sled. Of a point its sled's. With
   * TPRT_KIND_SET_INSTRUCTION that of the instruction. */
  const void *address;
  /* An explicit list of `site_count` sites. */
  const tprt_site *const *sites;
  size_t site_count;
  /* enum tprt_kind_set; 0: entries. */
  uint32_t kinds;
  /* enum tprt_select_flags. */
  uint32_t flags;
  /* The source file's path or its last parts, or a glob of them. Needs the
   * module's line table (-gline-tables-only); points need none. With TPRT_SELECT_CODE
   * also "file.c:120": the instructions where code of that line begins. */
  const char *source;
  /* The object that TPRT_POINT() makes: the points of its name in its module.
   * `kinds` may then be 0. The object's module must stay loaded during the call. */
  const void *point;
} tprt_selector;

typedef struct tprt_probe tprt_probe;

/* What an attach did. */
typedef struct tprt_result {
  /* Sites that the selector found. */
  size_t matched;
  /* Those of them that are on now. */
  size_t enabled;
  /* Those of them that were refused. */
  size_t refused;
  /* NULL if none was refused. */
  const tprt_site *first_refused;
  tprt_refusal first_refusal;
} tprt_result;

/* Figures about the runtime itself. */
typedef struct tprt_stats {
  /* Modules with a table. */
  size_t modules;
  /* Sleds of functions and of points. The static branches of points do not count. */
  size_t sites;
  /* Those of them that lead to libtprt now. */
  size_t enabled;
  /* Modules with a table or note that was refused. */
  size_t bad_modules;
  /* Hits not delivered, because their thread was in a handler, or got no memory. */
  uint64_t missed;
  /* Bytes mapped for stubs and their data words. */
  size_t stub_bytes;
} tprt_stats;

/* The version of the header that a caller was compiled with, and the sizes of its
 * structures. The functions of this header hand a layout over, so that structures
 * can grow. A later library takes what an earlier header's structures lack for zero,
 * and writes no further than they reach. A library that is earlier than the caller's
 * header answers TPRT_STATUS_UNSUPPORTED, and tprt_error_string() names both versions.
 *
 * Only callers by dlsym() or from another language need to know of it. libtprt.so
 * exports tprt_NAME_sized, which takes a layout first, for each tprt_NAME of this
 * header that takes or fills a structure. */
typedef struct tprt_layout {
  /* TPRT_VERSION. */
  uint32_t version;
  /* Sizes in bytes, each of the structure tprt_ of that name. */
  uint16_t selector;
  uint16_t action;
  uint16_t result;
  uint16_t site_info;
  uint16_t stats;
  uint16_t reserved;
} tprt_layout;

/* The layout of this header. */
static inline const tprt_layout *tprt_layout_here(void) {
  static const tprt_layout here = {TPRT_VERSION, sizeof(tprt_selector), sizeof(tprt_action), sizeof(tprt_result), sizeof(tprt_site_info), sizeof(tprt_stats), 0};
  return &here;
}

/* tprt_probe_attach() for a caller whose structures have the sizes that `layout` says. */
TPRT_API tprt_status tprt_probe_attach_sized(const tprt_layout *layout, const tprt_selector *selector, const tprt_action *action, tprt_probe **probe, tprt_result *result);

/* Attaches `action` to every site that `selector` finds, as one operation with
 * one set of barriers. On TPRT_STATUS_OK and TPRT_STATUS_PARTIAL *probe is set
 * and must be given to tprt_probe_detach(); with TPRT_SELECT_AWAIT also where
 * nothing matched (NO_MATCH, NO_TABLE, BAD_TABLE). `result` may be NULL. */
static inline tprt_status tprt_probe_attach(const tprt_selector *selector, const tprt_action *action, tprt_probe **probe, tprt_result *result) {
  return tprt_probe_attach_sized(tprt_layout_here(), selector, action, probe, result);
}

/* Detaches. When it returns TPRT_STATUS_OK no thread is inside this probe's
 * handler and none will enter it, so the handler's data may be freed and its library
 * closed; `probe` is gone. It waits for this probe's handler alone, so the
 * handlers of other probes may wait for the caller; a probe without a handler
 * waits for nobody. It waits up to timeout_ms milliseconds (-1: without limit). If
 * a thread is then still inside, or may be, it returns TPRT_STATUS_PENDING: no
 * further hits are delivered, and the call is to be repeated to learn of the end.
 * PENDING comes at once where the handler may be suspended on a stack that the
 * calling thread itself has left. */
TPRT_API tprt_status tprt_probe_detach(tprt_probe *probe, int timeout_ms);

/* Hits counted so far by a TPRT_ACTION_COUNT probe, over all its sites and
 * threads, ended ones included. 0 for other probes and inside a handler. */
TPRT_API uint64_t tprt_probe_count(const tprt_probe *probe);

/* Called for a site and the hits counted there. Non-zero ends the visit. */
typedef int (*tprt_count_visitor)(const tprt_site *site, uint64_t count, void *data);

/* Calls visit(site, count, data) for each site of a TPRT_ACTION_COUNT probe, in
 * the order of addresses, until `visit` returns non-zero. Visits nothing for other
 * probes and inside a handler. */
TPRT_API void tprt_probe_visit_counts(const tprt_probe *probe, tprt_count_visitor visit, void *data);

/* Called for a site. Non-zero ends the visit. */
typedef int (*tprt_site_visitor)(const tprt_site *site, void *data);

/* tprt_site_visit() for a caller whose structures have the sizes that `layout` says. */
TPRT_API tprt_status tprt_site_visit_sized(const tprt_layout *layout, const tprt_selector *selector, tprt_site_visitor visit, void *data);

/* Visits every site that `selector` finds (NULL: all of functions) in the order of address
 * within each module, until `visit` returns non-zero. `visit` may not attach or
 * detach. OK, NO_MATCH, NO_TABLE, BAD_TABLE, INVALID_ARGUMENT, IN_HANDLER,
 * NO_MEMORY, UNSUPPORTED or OTHER_COPY. */
static inline tprt_status tprt_site_visit(const tprt_selector *selector, tprt_site_visitor visit, void *data) {
  return tprt_site_visit_sized(tprt_layout_here(), selector, visit, data);
}

/* A function that does what the site's function did before it was redirected:
 * for a replacement to call. `site` must be an entry with a redirection. NULL
 * otherwise, and if there is no memory. Valid as long as its module is loaded. May be
 * called from inside a handler. Not async-signal-safe: it takes the runtime's lock. */
TPRT_API const void *tprt_site_original(const tprt_site *site);

/* tprt_site_describe() for a caller whose structures have the sizes that `layout` says. */
TPRT_API tprt_status tprt_site_describe_sized(const tprt_layout *layout, const tprt_site *site, tprt_site_info *info);

/* Fills *info. May be called from inside a handler, also in a signal handler there: it
 * then reads no file, so the name is NULL if nothing has read the module's symbols before.
 * Selecting by name reads them, and so does a call outside of handlers. */
static inline tprt_status tprt_site_describe(const tprt_site *site, tprt_site_info *info) {
  return tprt_site_describe_sized(tprt_layout_here(), site, info);
}

/* The address of the program's own code for which `address` stands: at a site without a
 * sled, for instance, a hit executes a copy of an instruction, and a signal that arrives
 * there shows the copy. Given that address, this gives the instruction's, or that of the
 * instruction after it if the copy was executed. At an exit whose hit is nearly over it
 * gives the function's first instruction, from which an unwinder finds the callers. For
 * other addresses it gives the address itself. Unwind tables and fault tables know the result. Async-signal-safe. */
TPRT_API const void *tprt_address_original(const void *address);

/* From now on the program's handlers of signals find such an address in the signal's
 * ucontext_t and in si_addr, in place of one in libtprt's code. A handler that sets
 * another address continues there; otherwise the thread continues where it was. This takes
 * the handlers that the program has now, and those that it sets later by sigaction() or
 * signal() if libtprt.so was linked or preloaded. It cannot be undone. Not for SIGTRAP.
 * OK; IN_HANDLER; OTHER_COPY; UNSUPPORTED if the system does not tell the handlers.
 * docs/explanation/code-probes.md, "Signals". */
TPRT_API tprt_status tprt_signal_translate(void);

/* Looks for modules loaded or unloaded since the last look. Probes by pattern
 * take their sites of the new ones (PARTIAL, REFUSED and so on if they could
 * not take all). Attach and visit look by themselves, and so does a module's
 * own start where libtprt.so is among what it is linked against
 * (docs/reference/runtime.md, "Modules loaded later"). */
TPRT_API tprt_status tprt_module_refresh(void);

/* tprt_stats_read() for a caller whose structures have the sizes that `layout` says. */
TPRT_API tprt_status tprt_stats_read_sized(const tprt_layout *layout, tprt_stats *stats);

/* Fills *stats. Inside a handler all members are 0, and the status is
 * TPRT_STATUS_IN_HANDLER. */
static inline tprt_status tprt_stats_read(tprt_stats *stats) {
  return tprt_stats_read_sized(tprt_layout_here(), stats);
}

/* One sentence for each status; never NULL; constant strings. Async-signal-safe. */
TPRT_API const char *tprt_status_string(tprt_status status);

/* One sentence for each reason; never NULL; constant strings. Async-signal-safe. */
TPRT_API const char *tprt_refusal_string(tprt_refusal refusal);

/* The text of the last failure of a call on this thread: what, where, and what
 * to do next. "" if there was none. Valid until this thread's next call. */
TPRT_API const char *tprt_error_string(void);

/* The library's version, "0.2.0" for instance. A constant string. Async-signal-safe. */
TPRT_API const char *tprt_version_string(void);

#ifdef __cplusplus
#pragma GCC diagnostic pop
}
#endif

#endif
