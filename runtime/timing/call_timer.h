// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The handler that times calls. Runs in hits: async-signal-safe.
#ifndef TPRT_TIMING_CALL_TIMER_H
#define TPRT_TIMING_CALL_TIMER_H

#include "tprt/tprt.h"

namespace tprt {

// The handlers; `data` is a TimedLink.
void timeCall(const tprt_event *event, const tprt_regs *regs, void *data);
void timeCallOfCaller(const tprt_event *event, const tprt_regs *regs,
                      void *data);

} // namespace tprt

#endif
