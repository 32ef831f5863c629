/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * libtprt: flips the sleds that tp put into a program into calls to a handler, and back, while
 * the program runs. docs/reference/runtime.md is the guide.
 *
 * Unless its comment says otherwise, a function here
 *  - is thread-safe and not async-signal-safe;
 *  - may allocate memory, from mmap and never from malloc;
 *  - must not be called from inside a handler, where it returns TPRT_STATUS_IN_HANDLER;
 *  - never ends the host program. A function returns TPRT_STATUS_INVALID_ARGUMENT for a pointer
 *    that did not come from a call of this header, and for a pointer to a detached probe.
 *    Functions that return no status return 0 or NULL.
 * A function that is marked async-signal-safe may also be called from inside a handler.
 *
 * Attaching begins with a cancellation point (pthread_cancel). No other function is a
 * cancellation point, but visitors may be cancelled.
 *
 * Names: functions that do something are named tprt_OBJECT_VERB, and functions that only return
 * a value tprt_OBJECT_PROPERTY. The constants of enum tprt_TYPE are TPRT_TYPE_VALUE. Those of
 * enum tprt_TYPE_flags are TPRT_TYPE_VALUE as well, and are combined with `|`.
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

/* The outcome of a call. tprt_status_string() returns a sentence for each. */
typedef enum tprt_status {
  TPRT_STATUS_OK = 0,
  /* No site matches the selector. */
  TPRT_STATUS_NO_MATCH,
  /* No loaded module has a sled table or points. */
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
  /* The system does not allow changes of code. */
  TPRT_STATUS_NO_PERMISSION,
  /* The system cannot synchronise the cores. */
  TPRT_STATUS_NO_BARRIER,
  /* A table or note contradicts its module. */
  TPRT_STATUS_BAD_TABLE,
  /* This runtime cannot do what was requested. It does not support this system, or the request
   * exceeds a limit. Or the caller was compiled with the header of a version that the runtime
   * does not know. Or the process is a copy that fork() did not make. */
  TPRT_STATUS_UNSUPPORTED,
  /* Another copy of libtprt controls this process. */
  TPRT_STATUS_OTHER_COPY,
  /* A file cannot be created or written. */
  TPRT_STATUS_NO_FILE
} tprt_status;

/* Why one site was refused. tprt_refusal_string() returns a sentence for each. */
typedef enum tprt_refusal {
  TPRT_REFUSAL_NONE = 0,
  /* The bytes in memory differ from those in the table. */
  TPRT_REFUSAL_BYTES,
  /* The sled has no room for a jump. */
  TPRT_REFUSAL_SHAPE,
  /* One store cannot flip the sled at this address. */
  TPRT_REFUSAL_ALIGNMENT,
  /* No memory for a stub is within reach, or a point's code is out of reach of its static
   * branch. */
  TPRT_REFUSAL_REACH,
  /* The code there cannot be read or written, or new code cannot be made executable. */
  TPRT_REFUSAL_PERMISSION,
  /* The code is mapped shared, or lies in hugetlbfs. */
  TPRT_REFUSAL_MAPPING,
  /* The function was not compiled opaque, so its calls cannot be changed or replaced. */
  TPRT_REFUSAL_NOT_OPAQUE,
  /* The action does not fit this site. A redirection needs the entry of a function with the
   * usual calling convention. A skip needs a call of a profiler. No action can change the
   * values of a point. At a call of a profiler only some actions change registers
   * (docs/explanation/code-probes.md). */
  TPRT_REFUSAL_ACTION,
  /* The function has no nops, or its nops are not known to begin a function. */
  TPRT_REFUSAL_NO_NOPS,
  /* The site needs a trap, and a debugger is attached. */
  TPRT_REFUSAL_DEBUGGER,
  /* The site needs a trap, but SIGTRAP may not reach libtprt there. Either its handler was
   * replaced, or a thread blocks the signal, or the site is in code of the C library, which
   * blocks the signal. */
  TPRT_REFUSAL_SIGTRAP,
  /* BOLT moved the function's code, so the code at this address is no longer executed. */
  TPRT_REFUSAL_MOVED,
  /* Code without a sled: a jump in the function has its target inside the bytes that would
   * change. */
  TPRT_REFUSAL_BRANCH,
  /* Code without a sled: the function could not be decoded to its end, so the targets of its
   * jumps are unknown. */
  TPRT_REFUSAL_DECODE,
  /* Code without a sled: the instruction works only at its own address, for example a call, a
   * system call, or an instruction of a restartable sequence (rseq). Or the function sets the
   * direction flag. */
  TPRT_REFUSAL_INSTRUCTION,
  /* Code without a sled: no jump fits over the instruction without changing other
   * instructions. */
  TPRT_REFUSAL_ROOM,
  /* Code without a sled: the instruction is a jump through a register or memory. It may leave
   * the function or belong to a switch. */
  TPRT_REFUSAL_SWITCH,
  /* Code without a sled: an XRay sled is at this address, and XRay's runtime changes it. */
  TPRT_REFUSAL_XRAY,
  /* Code without a sled: no instruction begins at that address or offset. */
  TPRT_REFUSAL_BOUNDARY,
  /* Code without a sled, on AArch64: the instruction is not a nop, b or bl. No other
   * instruction may be replaced while threads execute it, so its page has to be exchanged,
   * and the system does not permit that. */
  TPRT_REFUSAL_EXCHANGE,
  /* The site needs a further mapping, and libtprt leaves the remaining ones to the program
   * (vm.max_map_count). */
  TPRT_REFUSAL_MAP_COUNT
} tprt_refusal;

/* Whether a site's sled leads to libtprt, according to the bytes that are in memory now. If
 * another program restored the sled's bytes, its site is off. Inside a handler this is the
 * state after the last attach or detach. */
typedef enum tprt_site_state {
  TPRT_SITE_STATE_OFF = 0,
  TPRT_SITE_STATE_ON = 1,
  /* On, by an int3 (TPRT_SELECT_TRAPS). */
  TPRT_SITE_STATE_TRAP = 2
} tprt_site_state;

/* The properties of a site. Strings are valid as long as the site. */
typedef struct tprt_site_info {
  /* Address of the sled. */
  const void *sled;
  /* Entry address of its function. At a point it is NULL, because the function is unknown. */
  const void *function;
  /* Symbol name as linked (mangled), or NULL if unknown. For a point this is the point's own
   * name. */
  const char *name;
  /* Path of its module. For the executable this is the real path. Never "". */
  const char *module;
  /* enum tprt_kind. */
  uint8_t kind;
  /* enum tprt_shape. */
  uint8_t shape;
  /* enum tprt_live: which integer registers a handler can read. */
  uint8_t live;
  /* enum tprt_needs. */
  uint8_t needs;
  /* enum tprt_site_state. */
  uint8_t state;
  /* The last reason why the site could not be flipped. */
  tprt_refusal refusal;
  /* The source file as the compiler received it, and the line. NULL and 0 for sites that are
   * not points. */
  const char *file;
  uint32_t line;
  /* enum tprt_style. */
  uint8_t style;
  /* The format as written, and one letter for each argument's type (table.h). */
  const char *format;
  const char *types;
  const struct tprt_descriptor *descriptor;
} tprt_site_info;

/* Converts a span of tprt_event_time()'s ticks into nanoseconds. The first call in a process
 * may wait for 20 ms to measure the length of a tick. Later calls repeat the measurement now
 * and then, so results for the same span may differ in the last digits. Not for spans that
 * include a suspend of the machine. May be called from inside a handler. */
TPRT_API uint64_t tprt_ticks_to_ns(uint64_t ticks);

/* What libtprt does at a hit. */
typedef enum tprt_action_kind {
  /* Call `handler`. */
  TPRT_ACTION_CALL = 0,
  /* Count the hit in a block of the thread's own, without a call and without a lock. */
  TPRT_ACTION_COUNT = 1,
  /* Run `replacement` in place of the function. Possible at entries of opaque functions, and of
   * functions without sleds (TPRT_SELECT_CODE). */
  TPRT_ACTION_REDIRECT = 2,
  /* Skip the profiler's call at the site (TPRT_SELECT_PROFILERS): the profiler is not called
   * until the probe is detached. Other actions at the site still receive their hits. Other
   * sites are refused. */
  TPRT_ACTION_SKIP = 3
} tprt_action_kind;

/* Bits of tprt_action.flags: what the handler promises or requests. */
enum tprt_handler_flags {
  /* The handler and all functions that it calls use no vector, mask or x87 register and do not
   * change errno. For instance, the handler is built with -mgeneral-regs-only. This is the fast
   * path. Most functions of libc do use vectors. */
  TPRT_HANDLER_GENERAL_REGS_ONLY = 1,
  /* The handler changes arguments or the result; see tprt_regs_change(). Sites of functions
   * that were compiled without -ftp-opaque are refused. In their callers the compiler may have
   * used its knowledge of arguments and result. At sites in code without sleds the user must
   * make sure that the compiler did not (docs/explanation/code-probes.md). */
  TPRT_HANDLER_CHANGES_REGS = 2,
  /* The handler calls tprt_event_time(). */
  TPRT_HANDLER_TIME = 4
};

/* What libtprt does at a site. Every field that does not belong to the action's kind must be
 * zero, except `data`. */
typedef struct tprt_action {
  tprt_action_kind kind;
  /* For CALL: enum tprt_handler_flags. */
  uint32_t flags;
  /* For CALL: the function to call. */
  tprt_handler handler;
  /* For CALL: passed to the handler. */
  void *data;
  /* For REDIRECT: a function of the same type. If the program runs with IBT or BTI, the
   * function must begin with a landing pad. */
  const void *replacement;
  /* For CALL: call the handler only at each n-th hit of a thread on a site, counted since this
   * probe was attached. 0 and 1 mean every hit. Hits inside a handler do not count. */
  uint32_t every;
} tprt_action;

/* Bits of tprt_selector.flags. */
enum tprt_select_flags {
  /* Select only modules that are loaded now. Without this flag a probe also selects the
   * matching sites of modules that are loaded before it is detached. A probe that was selected
   * by address or by a list does not. See tprt_module_refresh(). */
  TPRT_SELECT_LOADED = 1,
  /* If nothing matches now, the attach does not fail: the probe waits for a module. */
  TPRT_SELECT_AWAIT = 2,
  /* Also select modules that have no sled table of tp but were built with plain
   * -fpatchable-function-entry. This opens the file of each loaded module once. */
  TPRT_SELECT_PATCHABLE = 4,
  /* On x86-64, sleds that no store can turn into a jump are flipped by a trap instead of being
   * refused. The trap is an int3. A handler of SIGTRAP is then installed, which passes on
   * signals that are not libtprt's. A hit costs microseconds. If its thread has SIGTRAP
   * blocked, a hit ends the process. With TPRT_SELECT_CODE, SIGTRAP remains unblocked from then
   * on in programs that block all signals (docs/reference/runtime-limits.md). Not possible
   * under a debugger. docs/reference/runtime.md, "Sleds without room for a jump". */
  TPRT_SELECT_TRAPS = 8,
  /* Also select functions without a sled, in the code of any module: their entries, returns and
   * tail exits. On AArch64 these must be a nop, b or bl. libtprt-code.so decodes the code of
   * each module that the selector's `module` matches once, which costs some milliseconds per
   * megabyte of code. docs/explanation/code-probes.md lists the instructions that can be
   * probed. */
  TPRT_SELECT_CODE = 16,
  /* Select instead the calls of profilers that compilers insert into each function. Entries are
   * the calls of mcount and __fentry__ (-pg) and of __cyg_profile_func_enter
   * (-finstrument-functions), and the nops of -mnop-mcount that -mrecord-mcount lists. Exits
   * are the calls of __cyg_profile_func_exit. A hit replaces the call.
   * docs/explanation/code-probes.md, "Calls of profilers". */
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
  /* Points (tprt/trace.h), selected by their names. */
  TPRT_KIND_SET_POINT = 1 << TPRT_KIND_POINT,
  /* Single instructions of functions without a sled (TPRT_SELECT_CODE). */
  TPRT_KIND_SET_INSTRUCTION = 1 << TPRT_KIND_INSTRUCTION
};

/* Which sites are selected. A field that is zero does not restrict the selection, except
 * `kinds`. A site must match all fields that are not zero. The strings are copied. */
typedef struct tprt_selector {
  /* Symbol name or glob (`*`, `?`, `[a-z]`, `{a,b}`), or "module!function". For a point, its
   * own name. With TPRT_SELECT_CODE also "function+0x10", the instruction at that distance in
   * bytes from the function's beginning; "function+*", all instructions of the function;
   * "0x4711", an address. With these three forms the kind is TPRT_KIND_SET_INSTRUCTION. `kinds`
   * may be 0 or that value, or a set without exits. */
  const char *function;
  /* File name, or glob of the module's base name or path. */
  const char *module;
  /* Address of the function's entry or of the sled. For a point, the address of its sled. With
   * TPRT_KIND_SET_INSTRUCTION, the address of the instruction. */
  const void *address;
  /* An explicit list of `site_count` sites. */
  const tprt_site *const *sites;
  size_t site_count;
  /* enum tprt_kind_set; 0 means entries. */
  uint32_t kinds;
  /* enum tprt_select_flags. */
  uint32_t flags;
  /* The source file's path or its last parts, or a glob of them. This needs the module's line
   * table (-gline-tables-only), except for points. With TPRT_SELECT_CODE also "file.c:120": the
   * instructions that begin the code of that line. */
  const char *source;
  /* The object that TPRT_POINT() makes. It selects the points of its name in its module. In
   * that case `kinds` may be 0. The object's module must stay loaded during the call. */
  const void *point;
} tprt_selector;

typedef struct tprt_probe tprt_probe;

/* The result of an attach. */
typedef struct tprt_result {
  /* Sites that match the selector. */
  size_t matched;
  /* Matching sites that are on now. */
  size_t enabled;
  /* Matching sites that were refused. */
  size_t refused;
  /* NULL if none was refused. */
  const tprt_site *first_refused;
  tprt_refusal first_refusal;
} tprt_result;

/* Statistics about the runtime itself. */
typedef struct tprt_stats {
  /* Modules with a table. */
  size_t modules;
  /* Sleds of functions and of points. The static branches of points are not counted. */
  size_t sites;
  /* Sleds that lead to libtprt now. */
  size_t enabled;
  /* Modules with a table or note that was refused. */
  size_t bad_modules;
  /* Hits that were not delivered because their thread was in a handler or received no
   * memory. */
  uint64_t missed;
  /* Bytes mapped for stubs and their data words. */
  size_t stub_bytes;
} tprt_stats;

/* The version of the header that a caller was compiled with, and the sizes of its structures.
 * The functions of this header pass a layout to the library, so that structures can grow. If an
 * earlier header's structure lacks a field, a later library uses zero for it, and never writes
 * beyond the structure's end. If the library is older than the caller's header, it returns
 * TPRT_STATUS_UNSUPPORTED, and tprt_error_string() names both versions.
 *
 * Only callers by dlsym() or from another language need to know this. For each tprt_NAME of
 * this header that reads or fills a structure, libtprt.so exports tprt_NAME_sized, whose first
 * argument is a layout. */
typedef struct tprt_layout {
  /* TPRT_VERSION. */
  uint32_t version;
  /* Sizes in bytes. Each field is named after its structure, without tprt_. */
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

/* tprt_probe_attach() for a caller whose structures have the sizes given in `layout`. */
TPRT_API tprt_status tprt_probe_attach_sized(const tprt_layout *layout, const tprt_selector *selector, const tprt_action *action, tprt_probe **probe, tprt_result *result);

/* Attaches `action` to every site that matches `selector`, as one operation with one set of
 * barriers. If the status is TPRT_STATUS_OK or TPRT_STATUS_PARTIAL, *probe is set and must be
 * passed to tprt_probe_detach(). With TPRT_SELECT_AWAIT this also applies when nothing matched
 * (NO_MATCH, NO_TABLE, BAD_TABLE). `result` may be NULL. */
static inline tprt_status tprt_probe_attach(const tprt_selector *selector, const tprt_action *action, tprt_probe **probe, tprt_result *result) {
  return tprt_probe_attach_sized(tprt_layout_here(), selector, action, probe, result);
}

/* Detaches a probe. After TPRT_STATUS_OK no thread is inside this probe's handler and none will
 * enter it. So the handler's data may be freed and its library closed; `probe` is no longer
 * valid. The call waits only for this probe's handler, so the handlers of other probes may wait
 * for the caller. If the probe has no handler, the call does not wait. The call waits up to
 * timeout_ms milliseconds (-1 means without limit). If a thread is or may be in the handler
 * after that, it returns TPRT_STATUS_PENDING. No further hits are delivered. Repeat the call to
 * learn when the last thread has left the handler. PENDING is returned at once if the handler
 * may be suspended on a stack that the calling thread itself has left. */
TPRT_API tprt_status tprt_probe_detach(tprt_probe *probe, int timeout_ms);

/* Hits counted so far by a TPRT_ACTION_COUNT probe, summed over all its sites and threads,
 * including threads that ended. Returns 0 for other probes and inside a handler. */
TPRT_API uint64_t tprt_probe_count(const tprt_probe *probe);

/* Receives a site and the number of hits counted there. A non-zero result ends the visit. */
typedef int (*tprt_count_visitor)(const tprt_site *site, uint64_t count, void *data);

/* Calls visit(site, count, data) for each site of a TPRT_ACTION_COUNT probe, in the order of
 * addresses, until `visit` returns non-zero. For other probes and inside a handler, `visit` is
 * not called. */
TPRT_API void tprt_probe_visit_counts(const tprt_probe *probe, tprt_count_visitor visit, void *data);

/* Receives a site. A non-zero result ends the visit. */
typedef int (*tprt_site_visitor)(const tprt_site *site, void *data);

/* tprt_site_visit() for a caller whose structures have the sizes given in `layout`. */
TPRT_API tprt_status tprt_site_visit_sized(const tprt_layout *layout, const tprt_selector *selector, tprt_site_visitor visit, void *data);

/* Visits every site that matches `selector` (NULL means all sites of functions) in the order of
 * address within each module, until `visit` returns non-zero. `visit` must not attach or
 * detach. Returns OK, NO_MATCH, NO_TABLE, BAD_TABLE, INVALID_ARGUMENT, IN_HANDLER, NO_MEMORY,
 * UNSUPPORTED or OTHER_COPY. */
static inline tprt_status tprt_site_visit(const tprt_selector *selector, tprt_site_visitor visit, void *data) {
  return tprt_site_visit_sized(tprt_layout_here(), selector, visit, data);
}

/* Returns a function that behaves like the site's function before the redirection. A
 * replacement can call it. `site` must be an entry with a redirection. Returns NULL if `site`
 * is not such an entry, or if there is no memory. The returned function is valid as long as its
 * module is loaded. May be called from inside a handler. Not async-signal-safe: the call
 * acquires the runtime's lock. */
TPRT_API const void *tprt_site_original(const tprt_site *site);

/* tprt_site_describe() for a caller whose structures have the sizes given in `layout`. */
TPRT_API tprt_status tprt_site_describe_sized(const tprt_layout *layout, const tprt_site *site, tprt_site_info *info);

/* Fills *info. May be called from inside a handler, even in a signal handler. A call from a
 * handler reads no file, so the name is NULL if the module's symbols have not been read before.
 * Selecting by name reads the symbols, and so does a call outside of handlers. */
static inline tprt_status tprt_site_describe(const tprt_site *site, tprt_site_info *info) {
  return tprt_site_describe_sized(tprt_layout_here(), site, info);
}

/* Returns the address in the program's own code that corresponds to `address`. For instance, at
 * a site without a sled a hit executes a copy of an instruction, and a signal that arrives
 * there reports the address of the copy. For that address the function returns the address of
 * the instruction, or of the following instruction if the copy was already executed. At an exit
 * whose hit is nearly complete it returns the function's first instruction, from which an
 * unwinder finds the callers. All other addresses are returned unchanged. Unwind tables and
 * fault tables contain the result. Async-signal-safe. */
TPRT_API const void *tprt_address_original(const void *address);

/* From now on the program's signal handlers find the original address in the signal's
 * ucontext_t and in si_addr, in place of an address in libtprt's code. If a handler sets
 * another address, the thread continues there. Otherwise the thread continues where it was
 * interrupted. The call affects the handlers that the program has now. If libtprt.so was linked
 * or preloaded, it also affects handlers that the program sets later by sigaction() or
 * signal(). The call cannot be undone. SIGTRAP is excluded. Returns OK; IN_HANDLER; OTHER_COPY;
 * UNSUPPORTED if the system does not reveal the installed handlers.
 * docs/explanation/code-probes.md, "Signals". */
TPRT_API tprt_status tprt_signal_translate(void);

/* Looks for modules that were loaded or unloaded since the last such search. Probes that select
 * by pattern attach to matching sites of the new modules. The status is PARTIAL, REFUSED and so
 * on if some sites were refused. Attach and visit search by themselves. So does a new module at
 * its own start if it is linked against libtprt.so (docs/reference/runtime.md, "Modules loaded
 * later"). */
TPRT_API tprt_status tprt_module_refresh(void);

/* tprt_stats_read() for a caller whose structures have the sizes given in `layout`. */
TPRT_API tprt_status tprt_stats_read_sized(const tprt_layout *layout, tprt_stats *stats);

/* Fills *stats. Inside a handler all members are 0, and the status is
 * TPRT_STATUS_IN_HANDLER. */
static inline tprt_status tprt_stats_read(tprt_stats *stats) {
  return tprt_stats_read_sized(tprt_layout_here(), stats);
}

/* Returns one sentence for each status, as a constant string. The result is never NULL.
 * Async-signal-safe. */
TPRT_API const char *tprt_status_string(tprt_status status);

/* Returns one sentence for each reason, as a constant string. The result is never NULL.
 * Async-signal-safe. */
TPRT_API const char *tprt_refusal_string(tprt_refusal refusal);

/* The text of the last failed call on this thread: what failed, where, and what to do next.
 * Returns "" if no call failed. The text is valid until this thread's next call. */
TPRT_API const char *tprt_error_string(void);

/* The library's version, "0.2.0" for instance. The string is constant. Async-signal-safe. */
TPRT_API const char *tprt_version_string(void);

#ifdef __cplusplus
#pragma GCC diagnostic pop
}
#endif

#endif
