// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The handlers of aggregations. aggregate_table.h describes their data.
#ifndef TPRT_AGGREGATE_HIT_PROGRAM_H
#define TPRT_AGGREGATE_HIT_PROGRAM_H

#include "tprt/tprt.h"

namespace tprt {

// Called when a thread gets its block.
void beginThreadAggregates(void *state);

// The handlers, for programs at entries and for programs at the end of calls;
// `data` is an AggregateLink.
void aggregateEntry(const tprt_event *event, const tprt_regs *regs, void *data);
void aggregateCall(const tprt_event *event, const tprt_regs *regs, void *data);

} // namespace tprt

#endif
