// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes the TPRT_OPTIONS of a command that is recorded from its start. With
// these options, libtprt begins the recording before the command's main(),
// without tpctl.

#ifndef TPCTL_LIVE_RECORD_RUNTIME_OPTIONS_H
#define TPCTL_LIVE_RECORD_RUNTIME_OPTIONS_H

#include "Recorder.h"

namespace tpctl {

/// The value of TPRT_OPTIONS: its old value, and the recording.
llvm::Expected<std::string> runtimeOptions(const RecorderOptions &O,
                                           bool WithSignals);
/// Whether tpctl has to join the command's process, and to add functions.
bool choosesByTool(const RecorderOptions &O);
/// The file's name as the recorder reads it, in TPRT_OPTIONS and in a request
/// to a running process.
llvm::Expected<std::string> fileOption(llvm::StringRef Path);

} // namespace tpctl

#endif
