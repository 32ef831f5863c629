// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The file of the recording, its mapping, and its clocks.
#ifndef TPRT_RECORD_RECORDING_FILE_H
#define TPRT_RECORD_RECORDING_FILE_H

#include "tprt/record.h"
#include "tprt/trace_file.h"

namespace tprt {

// Makes the file and maps it; fills in `recording` except the generation.
tprt_status openRecording(const tprt_recording_options &options);
// Puts memory in place of the file's mapping and closes the file, which gets
// this length unless it is 0.
void closeRecording(uint64_t bytes);
// Makes sure that block `number` has space. In hits. False: it has none.
bool makeSpace(uint64_t number);
// The three clocks. In hits.
void readMoment(tprt_trace_moment &out);

} // namespace tprt

#endif
