/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * How long functions run: pairs each entry with its exit, per thread. Needs
 * functions compiled with -ftp-entry and -ftp-exit.
 */
#ifndef TPRT_DURATION_H
#define TPRT_DURATION_H

#include "tprt/tprt.h"

#ifdef __cplusplus
extern "C" {
#endif

enum tprt_duration_flags {
  TPRT_DURATION_TAIL = 1, /* the function left by a tail call: the other one ran
                             on in its place */
  TPRT_DURATION_ABANDONED =
      2 /* it never came to an exit sled: an exception, longjmp, or an exit
           without a sled; `ticks` is up to when that was noticed */
};

/* One call of a function. */
typedef struct tprt_duration {
  const tprt_site *entry; /* of its entry */
  uint64_t start;         /* tprt_event_time() at the entry */
  uint64_t ticks;         /* from entry to exit; tprt_ticks_to_ns() */
  uint32_t depth; /* calls of the same durations that were open around it on
                     this thread */
  uint32_t flags; /* enum tprt_duration_flags */
  /* tprt_duration_argument(). Valid during the handler. */
  const uint64_t *arguments;
} tprt_duration;

/* Integer argument `index`, from 0, as it was at the entry; 0 behind those in
 * registers (TPRT_ARGUMENT_REGISTERS). What docs/runtime.md says of arguments
 * of static functions holds. Async-signal-safe. */
static inline uint64_t tprt_duration_argument(const tprt_duration *duration,
                                              unsigned index) {
  return index < TPRT_ARGUMENT_REGISTERS ? duration->arguments[index] : 0;
}

/* Called at an exit, on the thread that runs the function, as a tprt_handler
 * is: what is said there of handlers holds. Abandoned calls are told of at the
 * next hit further out on the same thread. A thread that goes from stack to
 * stack (coroutines with stacks of their own) may leave calls that count as
 * abandoned, and so does a call that goes on on another thread. */
typedef void (*tprt_duration_handler)(const tprt_duration *duration,
                                      void *data);

typedef struct tprt_durations tprt_durations;

/* At most 8 of them at a time. Attaches to entries and exits of the functions
 * that `selector` finds, whatever its `events`. `flags`:
 * TPRT_HANDLER_GENERAL_REGS_ONLY or 0. Status and result as of
 * tprt_probe_attach(); also TPRT_STATUS_PARTIAL where functions have an entry
 * sled and no exit sled: built without -ftp-exit, or never returning. Their
 * calls end as abandoned ones; tprt_last_error() names the first. Calls under
 * way when it attaches are not told of. */
TPRT_API tprt_status tprt_durations_attach(const tprt_selector *selector,
                                           tprt_duration_handler handler,
                                           void *data, uint32_t flags,
                                           tprt_durations **durations,
                                           tprt_result *result);

/* As tprt_probe_detach(). Calls under way are not told of. */
TPRT_API tprt_status tprt_durations_detach(tprt_durations *durations,
                                           int timeout_ms);

/* How deep the calling thread is in calls: those of these durations that are
 * open on it. In a handler that was attached later than they were, the current
 * call counts at its entry and no more at its exit. Async-signal-safe. */
TPRT_API uint32_t tprt_durations_depth(const tprt_durations *durations);

/* Calls that were not told of because a thread had more than 4096 of them open,
 * over all durations. */
TPRT_API uint64_t tprt_durations_lost(void);

#ifdef __cplusplus
}
#endif

#endif
