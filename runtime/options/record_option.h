// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// TPRT_OPTIONS=record=FILE:GLOB records calls.
#ifndef TPRT_OPTIONS_RECORD_OPTION_H
#define TPRT_OPTIONS_RECORD_OPTION_H

namespace tprt {

// Begins the recording.
void startRecording();

} // namespace tprt

#endif
