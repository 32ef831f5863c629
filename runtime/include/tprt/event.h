/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What a handler is given: an event, and with it the hit's registers (tprt/regs.h) and
 * time. All of it is valid during the call of the handler only, except the site.
 * Included by tprt.h.
 */
#ifndef TPRT_EVENT_H
#define TPRT_EVENT_H

#include <stddef.h>
#include <stdint.h>

#include "tprt/regs.h"
#include "tprt/table.h"

#ifdef __cplusplus
extern "C" {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wold-style-cast" /* this is C as well */
#endif

/* One place in the code where a handler can be called. Valid as long as its
 * module is loaded. Modules with sites in use are kept loaded. */
typedef struct tprt_site tprt_site;

/* What describes a hit to its handler. Constant for a site, except for what `flags`
 * says. A later version's may have further fields after these. */
typedef struct tprt_event {
  const tprt_site *site;
  /* enum tprt_kind: what the thread is doing. */
  uint32_t kind;
  /* enum tprt_event_flags. */
  uint32_t flags;
} tprt_event;

/* The stack pointer at the site: what tprt_regs_stack() says, and also right at a
 * TPRT_KIND_INSTRUCTION. */
static inline const uint64_t *tprt_event_stack(const tprt_event *event, const tprt_regs *regs) {
  return tprt_regs_stack(regs) + (event->kind == TPRT_KIND_INSTRUCTION ? TPRT_REGS_TO_INSTRUCTION / 8 : 0);
}

/* Fills in all general registers as the instruction at the site is going to find them, and
 * returns 1. The structure is a copy: a change to it reaches no register. This works at sites
 * of TPRT_KIND_INSTRUCTION. Elsewhere the call returns 0 and leaves the structure as it is,
 * because a hit does not keep the registers that functions preserve.
 * Async-signal-safe, for the duration of the handler. */
static inline int tprt_event_registers(const tprt_event *event, const tprt_regs *regs, tprt_registers *registers) {
  return event->kind == TPRT_KIND_INSTRUCTION ? tprt_regs_expand(regs, registers) : 0;
}

/* Bits of tprt_event.flags. */
enum tprt_event_flags {
  /* A vector register may hold an argument or the result. */
  TPRT_EVENT_VECTORS = 1,
  /* tprt_event_time() has the time. */
  TPRT_EVENT_TIMED = 2,
  /* Changes of the registers reach the function. */
  TPRT_EVENT_CHANGES = 4
};

/* Called at a hit, on the thread that hit:
 *  - at an entry, before the function's first instruction;
 *  - at an exit, when the function is about to return or to jump to another one;
 *  - at a point, when its arguments have been evaluated;
 *  - at a single instruction, before the instruction.
 * A handler may run inside a signal handler. What it calls must be
 * async-signal-safe there. errno is preserved around it, unless it
 * declares TPRT_HANDLER_GENERAL_REGS_ONLY. Floating-point exception flags and
 * rounding mode are the program's: what the handler changes of them, the program
 * sees (docs/reference/runtime-limits.md). Sleds that the thread hits while a handler runs are
 * not delivered, but counted as missed. */
typedef void (*tprt_handler)(const tprt_event *event, const tprt_regs *regs, void *data);

/* For a handler attached with TPRT_HANDLER_CHANGES_REGS: the same registers, to
 * be written. NULL in every other handler. */
static inline tprt_regs *tprt_regs_change(const tprt_event *event, const tprt_regs *regs) {
  return event->flags & TPRT_EVENT_CHANGES ? (tprt_regs *)(uintptr_t)regs : NULL;
}

/* The low 128 bits of the first eight vector registers, 16 bytes each, aligned
 * as the program's stack is: xmm0 to xmm7, q0 to q7. For handlers without
 * TPRT_HANDLER_GENERAL_REGS_ONLY. NULL where none holds an argument or result.
 * What is written there reaches the function under tprt_regs_change()'s conditions. */
static inline void *tprt_regs_vectors(const tprt_event *event, const tprt_regs *regs) {
  return event->flags & TPRT_EVENT_VECTORS ? (void *)((uintptr_t)regs - TPRT_REGS_TO_VECTORS) : NULL;
}

/* For a handler attached with TPRT_HANDLER_TIME: when the hit was delivered, in
 * ticks of the processor's constant-rate counter (x86-64: TSC, Intel SDM vol.
 * 3, 18.17; AArch64: CNTVCT_EL0). 0 in every other handler. The time lies 16 bytes
 * after the event's begin, in each version. */
static inline uint64_t tprt_event_time(const tprt_event *event) {
  return event->flags & TPRT_EVENT_TIMED ? *(const uint64_t *)((uintptr_t)event + 16) : 0;
}

#ifdef __cplusplus
#pragma GCC diagnostic pop
}
#endif

#endif
