/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Measures how long functions run: pairs each entry with its exit, per thread.
 * The functions must be compiled with -ftp-entry and -ftp-exit. The rules that
 * tprt.h states for all its functions apply here, too.
 */
#ifndef TPRT_DURATION_H
#define TPRT_DURATION_H

#include "tprt/tprt.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Bits of tprt_duration.flags: how the call ended. */
enum tprt_duration_flags {
  /* The call ended by a tail call: another function continued in its place. */
  TPRT_DURATION_TAIL = 1,
  /* The call ended without an exit sled: by an exception, by longjmp, or by an
   * exit that has no sled. `ticks` ends at the moment when libtprt noticed
   * this. */
  TPRT_DURATION_ABANDONED = 2
};

/* One call of a function. Later versions may add fields after these. */
typedef struct tprt_duration {
  /* The site of the function's entry. */
  const tprt_site *entry;
  /* tprt_event_time() at the entry. */
  uint64_t start;
  /* From entry to exit, in ticks of tprt_event_time(); tprt_ticks_to_ns() converts them. */
  uint64_t ticks;
  /* How many other calls that the same probe measures were open on this thread at the
   * entry. */
  uint32_t depth;
  /* enum tprt_duration_flags. */
  uint32_t flags;
  /* Used by tprt_duration_argument(). Valid only during the handler. */
  const uint64_t *arguments;
} tprt_duration;

/* Integer argument number `index`, counted from 0, as it was at the entry. Returns 0 for
 * arguments that are not in registers (TPRT_ARGUMENT_REGISTERS). The notes on arguments
 * of static functions in docs/reference/runtime.md apply. Async-signal-safe. */
static inline uint64_t tprt_duration_argument(const tprt_duration *duration, unsigned index) { return index < TPRT_ARGUMENT_REGISTERS ? duration->arguments[index] : 0; }

/* Called at an exit, on the thread that runs the function. The rules for a
 * tprt_handler in tprt.h apply. Abandoned calls are reported at the same thread's
 * next hit in an outer call. If a thread switches stacks (coroutines with stacks of
 * their own), calls that it left may count as abandoned. So does a call that
 * continues on another thread. */
typedef void (*tprt_duration_handler)(const tprt_duration *duration, void *data);

/* A probe made by tprt_duration_probe_attach(). */
typedef struct tprt_duration_probe tprt_duration_probe;

/* tprt_duration_probe_attach() for a caller whose structures have the sizes given in `layout`. */
TPRT_API tprt_status tprt_duration_probe_attach_sized(const tprt_layout *layout, const tprt_selector *selector, tprt_duration_handler handler, void *data, uint32_t flags, tprt_duration_probe **probe, tprt_result *result);

/* Attaches to entries and exits of the functions that match `selector`, regardless
 * of its `kinds`. At most 8 such probes can be attached at a time. `flags` is
 * TPRT_HANDLER_GENERAL_REGS_ONLY or 0. Status and result are the same as for
 * tprt_probe_attach(). TPRT_STATUS_PARTIAL can also mean that functions have an
 * entry sled and no exit sled, because they were built without -ftp-exit or never
 * return. Their calls are reported as abandoned, and tprt_error_string() names the
 * first such function. Calls that are in progress at the attach are not reported. */
static inline tprt_status tprt_duration_probe_attach(const tprt_selector *selector, tprt_duration_handler handler, void *data, uint32_t flags, tprt_duration_probe **probe, tprt_result *result) {
  return tprt_duration_probe_attach_sized(tprt_layout_here(), selector, handler, data, flags, probe, result);
}

/* Detaches the probe like tprt_probe_detach(). Calls that are in progress are
 * not reported. */
TPRT_API tprt_status tprt_duration_probe_detach(tprt_duration_probe *probe, int timeout_ms);

/* The nesting depth of the calling thread: the number of calls that this probe
 * measures and that are open on the thread. In a handler that was attached later
 * than the probe, the current call is included at its entry and excluded at its
 * exit. Async-signal-safe. */
TPRT_API uint32_t tprt_duration_probe_depth(const tprt_duration_probe *probe);

/* Calls that were not reported because a thread had more than 4096 open calls,
 * over all probes. Async-signal-safe; may be called from inside a handler. */
TPRT_API uint64_t tprt_duration_lost(void);

#ifdef __cplusplus
}
#endif

#endif
