// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the runtime itself calls of tprt/record.h, and what belongs to it.
#ifndef TPRT_RECORD_RECORDING_CALLS_H
#define TPRT_RECORD_RECORDING_CALLS_H

#include "programs/program.h"
#include "tprt/record.h"

namespace tprt {

// The component's start (record_component.h).
void startRecorder();

// Begins a recording when the first site is found (TPRT_OPTIONS). The name has
// to stay valid.
void awaitRecording(const tprt_recording_options &options);
// Makes the file of a recording that waits. False: there is none. Under the
// lock.
bool beginWaiting();
// What is recorded of an event. `program` decides which calls are recorded, and
// with which values; nullptr: all of them. `list`: RecordedProbe::list.
struct RecordedValues {
  tprt_recording_values plain;
  const Program *program;
  uint32_t list;
};
// tprt_recording_add(), also for a recording that waits. If a program runs at
// the end of calls, PARTIAL also means that functions have an entry and no
// exit: their calls are not recorded.
tprt_status addToRecording(const tprt_selector *selector,
                           const RecordedValues &values, tprt_result &result);
// While it lasts, the recording is not closed. False: there is none.
bool holdRecording();
void releaseRecording();
// In the child of a fork, which has one thread.
void forgetOtherThreads();

} // namespace tprt

#endif
