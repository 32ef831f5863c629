// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records events that have values: arguments, results, and points. In hits:
// async-signal-safe; the functions take no lock, and call neither malloc nor
// functions that use vector registers (memcpy, memset).
#ifndef TPRT_RECORD_EVENT_VALUES_H
#define TPRT_RECORD_EVENT_VALUES_H

#include "record/recorded_probe.h"
#include "record/thread_record.h"
#include "tprt/tprt.h"

namespace tprt {

// Records an event with arguments or result, or a point. The point's number is
// in the lower half of `numbers`, and its site's number in the upper half.
void recordValues(ThreadRecord &thread, uint64_t now, uint64_t word,
                  const tprt_event *event, const tprt_regs *regs,
                  const RecordedProbe &probe);
// The same for an event at `next`, where the thread's cursor led. False: only
// recordValues() or recordPoint() can store it, because there is a string, or
// there is no room. Makes no system call.
bool recordNumbers(uint64_t next, uint64_t word, const tprt_event *event,
                   const tprt_regs *regs, const RecordedProbe &probe);
void recordPoint(ThreadRecord &thread, uint64_t now, uint64_t numbers,
                 const tprt_event *event, const tprt_regs *regs);

} // namespace tprt

#endif
