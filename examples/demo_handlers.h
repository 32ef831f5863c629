/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The demo's handlers. They are in a separate file, which is compiled with
 * -mgeneral-regs-only, so that hits need not save vector registers for
 * these handlers. */
#ifndef DEMO_HANDLERS_H
#define DEMO_HANDLERS_H

#include "tprt/tprt.h"

/* Does nothing, so that only the cost of the hit itself is measured. */
void demo_empty(const tprt_event *event, const tprt_regs *regs, void *data);

/* Adds 1 to the uint64_t that data points to, from any thread. */
void demo_add(const tprt_event *event, const tprt_regs *regs, void *data);

#endif
