/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * How long functions run: pairs each entry with its exit, per thread. Needs
 * functions compiled with -ftp-entry and -ftp-exit. What tprt.h says of all its
 * functions holds here, too.
 */
#ifndef TPRT_DURATION_H
#define TPRT_DURATION_H

#include "tprt/tprt.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Bits of tprt_duration.flags: how the call ended. */
enum tprt_duration_flags {
  /* By a tail call: another function ran on in its place. */
  TPRT_DURATION_TAIL = 1,
  /* Without an exit sled: by an exception, by longjmp, or by an exit that has no
   * sled. `ticks` reaches up to the moment at which that was noticed. */
  TPRT_DURATION_ABANDONED = 2
};

/* One call of a function. A later version's may have further fields after these. */
typedef struct tprt_duration {
  /* The site of the function's entry. */
  const tprt_site *entry;
  /* tprt_event_time() at the entry. */
  uint64_t start;
  /* From entry to exit, in ticks of tprt_event_time(); tprt_ticks_to_ns() converts them. */
  uint64_t ticks;
  /* How many calls that the same probe measures were open around this one on this thread. */
  uint32_t depth;
  /* enum tprt_duration_flags. */
  uint32_t flags;
  /* For tprt_duration_argument(). Valid during the handler. */
  const uint64_t *arguments;
} tprt_duration;

/* Integer argument `index`, from 0, as it was at the entry; 0 for arguments that
 * are not in registers (TPRT_ARGUMENT_REGISTERS). What docs/reference/runtime.md says of
 * arguments of static functions holds. Async-signal-safe. */
static inline uint64_t tprt_duration_argument(const tprt_duration *duration, unsigned index) { return index < TPRT_ARGUMENT_REGISTERS ? duration->arguments[index] : 0; }

/* Called at an exit, on the thread that runs the function. What tprt.h says of a
 * tprt_handler holds. Abandoned calls are reported at the next hit further out on
 * the same thread. A thread that goes from stack to stack (coroutines with stacks of
 * their own) may leave calls that count as abandoned, and so does a call that
 * continues on another thread. */
typedef void (*tprt_duration_handler)(const tprt_duration *duration, void *data);

/* What tprt_duration_probe_attach() makes. */
typedef struct tprt_duration_probe tprt_duration_probe;

/* tprt_duration_probe_attach() for a caller whose structures have the sizes that `layout` says. */
TPRT_API tprt_status tprt_duration_probe_attach_sized(const tprt_layout *layout, const tprt_selector *selector, tprt_duration_handler handler, void *data, uint32_t flags, tprt_duration_probe **probe, tprt_result *result);

/* Attaches to entries and exits of the functions that `selector` finds, whatever
 * its `kinds`. At most 8 such probes are attached at a time. `flags` is
 * TPRT_HANDLER_GENERAL_REGS_ONLY or 0. Status and result are those of
 * tprt_probe_attach(). TPRT_STATUS_PARTIAL also means that functions have an entry
 * sled and no exit sled, as they were built without -ftp-exit or never return: their
 * calls end as abandoned ones, and tprt_error_string() names the first. Calls that
 * are under way at the attach are not reported. */
static inline tprt_status tprt_duration_probe_attach(const tprt_selector *selector, tprt_duration_handler handler, void *data, uint32_t flags, tprt_duration_probe **probe, tprt_result *result) {
  return tprt_duration_probe_attach_sized(tprt_layout_here(), selector, handler, data, flags, probe, result);
}

/* As tprt_probe_detach(). Calls that are under way are not reported. */
TPRT_API tprt_status tprt_duration_probe_detach(tprt_duration_probe *probe, int timeout_ms);

/* How deep the calling thread is in calls: the number of those that this probe
 * measures and that are open on the thread. In a handler that was attached later
 * than the probe, the current call counts at its entry and no more at its exit.
 * Async-signal-safe. */
TPRT_API uint32_t tprt_duration_probe_depth(const tprt_duration_probe *probe);

/* Calls that were not reported because a thread had more than 4096 of them open,
 * over all probes. Async-signal-safe; may be called from inside a handler. */
TPRT_API uint64_t tprt_duration_lost(void);

#ifdef __cplusplus
}
#endif

#endif
