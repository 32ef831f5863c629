// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The recording of a process that runs, by its control.

#ifndef TPCTL_LIVE_RECORDER_H
#define TPCTL_LIVE_RECORDER_H

#include "Connection.h"
#include <vector>

namespace tpctl {

struct RecorderOptions {
  std::string Path; ///< absolute, as the process sees it
  std::string Mode = "all", Size, Strings;
  unsigned Arguments = 0;
  bool Results = false;
  bool Code = false;                 ///< functions without sleds, too
  std::vector<std::string> Patterns; ///< as the process takes them
};

/// Whether a path leads the process and tpctl to the same file: the process has
/// tpctl's mount namespace and root.
bool seesSameFiles(pid_t Pid);
/// Begins a recording, of everything if no pattern takes something. Returns the
/// path of its file, as the process sees it.
llvm::Expected<std::string> startRecording(Connection &C,
                                           const RecorderOptions &O);
llvm::Error stopRecording(Connection &C);
llvm::Error takeSnapshot(Connection &C, llvm::StringRef Path);

} // namespace tpctl

#endif
