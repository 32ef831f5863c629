/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The two handlers of the stress test. Both check the argument registers that
 * they receive, and that their data is still valid. They run in hits, on any
 * thread. Async-signal-safe.
 */
#ifndef TPRT_STRESS_HANDLERS_H
#define TPRT_STRESS_HANDLERS_H

#include "tprt/tprt.h"

#ifdef __cplusplus
extern "C" {
#endif

#define STRESS_DATA_ALIVE 0x616c697665211ull

/* This data is in a separate page, which becomes unreadable after detach
 * has returned.
 */
struct stress_data {
  uint64_t alive; /* STRESS_DATA_ALIVE */
  uint64_t hits;  /* incremented atomically */
};

/* Built without vector registers, for TPRT_HANDLER_GENERAL_REGS_ONLY. It
 * overwrites every general register that a C function may change. */
void stress_handler_general(const tprt_event *event, const tprt_regs *regs,
                            void *data);

/* Also overwrites every vector register completely, and the mask registers, x87
 * registers and predicates. */
void stress_handler_trample(const tprt_event *event, const tprt_regs *regs,
                            void *data);

#ifdef __cplusplus
}
#endif

#endif
