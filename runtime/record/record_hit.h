// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The handler of recorded probes. In hits: async-signal-safe; the functions
// take no lock, and call neither malloc nor functions that use vector registers
// (memcpy, memset).
#ifndef TPRT_RECORD_RECORD_HIT_H
#define TPRT_RECORD_RECORD_HIT_H

#include "tprt/tprt.h"

namespace tprt {

void recordHit(const tprt_event *event, const tprt_regs *regs, void *data);
// The thread's calls inside of a function have ended without an exit:
// TPRT_TRACE_UNWOUND. The function continues with its stack at `stack`. What
// nonlocal_exits.cpp calls. Async-signal-safe.
void recordUnwound(uint64_t function, uint64_t stack);
void recordNested(const tprt_event *event, const tprt_regs *regs, void *data);

} // namespace tprt

#endif
