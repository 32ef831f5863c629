// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The recording of a running process, by its control.

#ifndef TPCTL_LIVE_RECORD_RECORDER_H
#define TPCTL_LIVE_RECORD_RECORDER_H

#include "live/targets/Matches.h"

namespace tpctl {

struct RecorderOptions {
  std::string Path; ///< absolute, as the process sees it
  std::string Mode = "all", Size, Strings;
  unsigned Arguments = 0;
  bool Results = false;
  Patterns Chosen;
};

/// Whether a path leads the process and tpctl to the same file: the process has
/// tpctl's mount namespace and root.
bool seesSameFiles(pid_t Pid);
/// What a recording takes of a process.
class Recorder {
public:
  /// Both have to outlive this.
  Recorder(Connection &C, const RecorderOptions &O) : C(C), O(O) {}

  /// Begins a recording. Returns the path of its file, as the process sees it.
  llvm::Expected<std::string> start();
  /// The process records by TPRT_OPTIONS, which has the globs; this adds what
  /// regular expressions take. Returns how many sites that are.
  llvm::Expected<uint32_t> join();
  /// To be called again and again: takes what came with libraries since.
  llvm::Expected<uint32_t> addLater();

private:
  llvm::Error add();
  llvm::Error addGlobs();
  llvm::Expected<uint32_t> addNumbers(llvm::ArrayRef<uint32_t> Sites);
  Connection &C;
  const RecorderOptions &O;
  tprt_control_record Asked{};
  std::optional<Matches> Found; ///< if the patterns are tpctl's to apply
};
llvm::Error stopRecording(Connection &C);
llvm::Error takeSnapshot(Connection &C, llvm::StringRef Path);

} // namespace tpctl

#endif
