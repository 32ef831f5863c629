// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The processes of a recording: how they enter it and leave it.
#ifndef TPRT_RECORD_PROCESSES_H
#define TPRT_RECORD_PROCESSES_H

#include "tprt/trace_file.h"

namespace tprt {

// This process becomes one of the recording, if it is not yet. In hits. False:
// another thread is about to do so.
bool enterProcess();
// This process ends for the recording. In hits. Async-signal-safe.
void endProcess(tprt_trace_end reason);
// The same for a caller that has already set the generation to 0.
void finishProcess(tprt_trace_end reason);
// A new recording begins.
void forgetEnd();
void startProcesses();
// What exit_exec.cpp calls. `path` is nullptr where only a descriptor is known.
void recordLeave();
void recordExec(const char *path);
void recordExecFailed();

} // namespace tprt

#endif
