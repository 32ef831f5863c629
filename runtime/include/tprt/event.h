/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What a handler receives: an event, and with the event the hit's registers
 * (tprt/regs.h) and time. Except for the site, all of it is valid only during the call
 * of the handler. tprt.h includes this file.
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

/* One place in the code where a handler can be called. A site is valid as long
 * as its module is loaded. Modules with sites in use are kept loaded. */
typedef struct tprt_site tprt_site;

/* The description of a hit for its handler. The event of a site is constant, except
 * for what `flags` describes. Later versions may add fields after these. */
typedef struct tprt_event {
  const tprt_site *site;
  /* enum tprt_kind: what the thread is doing. */
  uint32_t kind;
  /* enum tprt_event_flags. */
  uint32_t flags;
} tprt_event;

/* The stack pointer at the site: the same as tprt_regs_stack(), but also correct
 * at a TPRT_KIND_INSTRUCTION. */
static inline const uint64_t *tprt_event_stack(const tprt_event *event, const tprt_regs *regs) {
  return tprt_regs_stack(regs) + (event->kind == TPRT_KIND_INSTRUCTION ? TPRT_REGS_TO_INSTRUCTION / 8 : 0);
}

/* Fills in all general registers with the values that the instruction at the site will read,
 * and returns 1. The structure is a copy: changes to it do not change the registers. This
 * works at sites of TPRT_KIND_INSTRUCTION. At all other sites the call returns 0 and leaves
 * the structure unchanged, because a hit does not save the registers that functions preserve.
 * Async-signal-safe, during the call of the handler. */
static inline int tprt_event_registers(const tprt_event *event, const tprt_regs *regs, tprt_registers *registers) {
  return event->kind == TPRT_KIND_INSTRUCTION ? tprt_regs_expand(regs, registers) : 0;
}

/* Bits of tprt_event.flags. Other bits have no meaning for handlers. */
enum tprt_event_flags {
  /* A vector register may hold an argument or the result. */
  TPRT_EVENT_VECTORS = 1,
  /* tprt_event_time() returns the time. */
  TPRT_EVENT_TIMED = 2,
  /* The function receives the changes that the handler makes to the
   * registers. */
  TPRT_EVENT_CHANGES = 4
};

/* The type of handlers. libtprt calls a handler at a hit, on the thread that
 * hit:
 *  - at an entry, before the function's first instruction;
 *  - at an exit, when the function is about to return or to jump to another one;
 *  - at a point, when its arguments have been evaluated;
 *  - at a single instruction, before the instruction.
 * A handler may run inside a signal handler. In that case every function that the handler
 * calls must be async-signal-safe. libtprt preserves errno around the handler, unless the
 * handler declares TPRT_HANDLER_GENERAL_REGS_ONLY. Floating-point exception flags and the
 * rounding mode are the program's: if the handler changes them, the program sees the change
 * (docs/reference/runtime-limits.md). While a handler runs, hits of the same thread are not
 * delivered. They are counted as missed. */
typedef void (*tprt_handler)(const tprt_event *event, const tprt_regs *regs, void *data);

/* Returns the same registers, writable, to a handler attached with
 * TPRT_HANDLER_CHANGES_REGS. Returns NULL to every other handler. */
static inline tprt_regs *tprt_regs_change(const tprt_event *event, const tprt_regs *regs) {
  return event->flags & TPRT_EVENT_CHANGES ? (tprt_regs *)(uintptr_t)regs : NULL;
}

/* The low 128 bits of the first eight vector registers, 16 bytes each, aligned as the
 * program's stack is: xmm0 to xmm7, q0 to q7. For handlers attached without
 * TPRT_HANDLER_GENERAL_REGS_ONLY. Returns NULL if none of these registers holds an
 * argument or result. Values written here reach the function under the same conditions
 * as for tprt_regs_change(). */
static inline void *tprt_regs_vectors(const tprt_event *event, const tprt_regs *regs) {
  return event->flags & TPRT_EVENT_VECTORS ? (void *)((uintptr_t)regs - TPRT_REGS_TO_VECTORS) : NULL;
}

/* For a handler attached with TPRT_HANDLER_TIME: the time of the hit's delivery,
 * in ticks of the processor's constant-rate counter (x86-64: TSC, Intel SDM vol.
 * 3, 18.17; AArch64: CNTVCT_EL0). Returns 0 in every other handler. In every
 * version, the time lies 16 bytes after the event's beginning. */
static inline uint64_t tprt_event_time(const tprt_event *event) {
  return event->flags & TPRT_EVENT_TIMED ? *(const uint64_t *)((uintptr_t)event + 16) : 0;
}

#ifdef __cplusplus
#pragma GCC diagnostic pop
}
#endif

#endif
