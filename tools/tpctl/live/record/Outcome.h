// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The result of a recording: its files, their number of events, and the line
// that reports these. If there is no file, the result is the reason. `record`
// and `snapshot` use it after the recording has ended, on the main thread.

#ifndef TPCTL_LIVE_RECORD_OUTCOME_H
#define TPCTL_LIVE_RECORD_OUTCOME_H

#include "live/requests/Connection.h"
#include "llvm/Support/Chrono.h"
#include <vector>

namespace tpctl {

/// The time when a run began. It distinguishes the files of this run from those
/// of an earlier one.
struct RunBegin {
  uint64_t Monotonic; ///< nanoseconds of CLOCK_MONOTONIC, as recordings have it
  llvm::sys::TimePoint<> Time;
  static RunBegin now();
};

class Outcome {
public:
  /// The result of a recording into only this file.
  explicit Outcome(std::string File) { Files.push_back(std::move(File)); }
  /// The result of a command: the file, and the files of processes that could
  /// not share it. The other files are FILE.PID, and FILE.PID.N for the
  /// programs that a process has executed. Only files that began in this run
  /// count. If this run has replaced the file, the other files of an earlier
  /// run are removed.
  Outcome(const std::string &Path, const RunBegin &Since);

  bool hasFiles() const { return !Files.empty(); }
  /// Compresses each file in its place.
  llvm::Error pack() const;
  /// Counts the events of all files.
  llvm::Error count();
  /// Prints the line on standard error about a recording of this duration. Call
  /// this after count().
  void tell(double Nanoseconds) const;
  /// Prints the line for a copy of a recording that continues.
  void tellCopy() const;

private:
  std::string names() const;
  std::vector<std::string> Files;
  bool Others = false; ///< there are other files that FILE.[0-9]* matches
  uint64_t Events = 0, Lost = 0, Bytes = 0;
};

/// Reports that a process has made the file in its own mount namespace or root,
/// where tpctl may see another file.
void tellElsewhere(const Connection &C, llvm::StringRef Path);

/// The reason why no recording of this size can be made under this name, so
/// that a command would run for nothing. Examples are a missing folder, no
/// permission, no space, or a file that is not a recording.
llvm::Error checkPlace(const std::string &Path, uint64_t Bytes);

} // namespace tpctl

#endif
