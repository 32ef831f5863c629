/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The demo's handlers, in a file of their own, compiled with
 * -mgeneral-regs-only so that they may take the fast path. */
#ifndef DEMO_HANDLERS_H
#define DEMO_HANDLERS_H

#include "tprt/tprt.h"

/* Does nothing: what remains is the cost of a hit. */
void demo_empty(const tprt_event *event, const tprt_regs *regs, void *data);

/* Adds 1 to the uint64_t that data points to, from any thread. */
void demo_add(const tprt_event *event, const tprt_regs *regs, void *data);

#endif
