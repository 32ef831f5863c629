// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The recording's part of each thread's block: threads/component.h.
#ifndef TPRT_RECORD_RECORD_COMPONENT_H
#define TPRT_RECORD_RECORD_COMPONENT_H

#include "points/line_buffer.h"
#include "record/recording_calls.h"
#include "record/thread_end.h"
#include "record/thread_record.h"
#include "threads/component.h"

namespace tprt {

inline constexpr Component recordComponent{
    .start = startRecorder,
    .stateAt = linesComponent.stateAt + linesComponent.stateBytes,
    .stateBytes = sizeof(ThreadRecordState),
    .beginThread = beginThreadRecord,
    .endThread = endThreadRecord};

} // namespace tprt

#endif
