// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What came of a recording: which files there are, how many events they hold,
// and the line that says so; or why there is no file. `record` and `snapshot`
// ask when the recording has ended, on the main thread.

#ifndef TPCTL_LIVE_RECORD_OUTCOME_H
#define TPCTL_LIVE_RECORD_OUTCOME_H

#include "live/requests/Connection.h"
#include "llvm/Support/Chrono.h"
#include <vector>

namespace tpctl {

/// When a run began. A file of an earlier run is told apart by this.
struct RunBegin {
  uint64_t Monotonic; ///< nanoseconds of CLOCK_MONOTONIC, as recordings have it
  llvm::sys::TimePoint<> Time;
  static RunBegin now();
};

class Outcome {
public:
  /// What came of a recording into this file alone.
  explicit Outcome(std::string File) { Files.push_back(std::move(File)); }
  /// What came of a command. It has the file, and the files of processes that
  /// could not share it (FILE.PID, and FILE.PID.N of the programs that the
  /// process has become by exec), as far as these began in this run.
  Outcome(const std::string &Path, const RunBegin &Since);

  bool hasFiles() const { return !Files.empty(); }
  /// Compresses each file in its place.
  llvm::Error pack() const;
  /// Counts the events of all files.
  llvm::Error count();
  /// After count(): the line on standard error of a recording that took so
  /// long.
  void tell(double Nanoseconds) const;
  /// The same of a copy of a recording that continues.
  void tellCopy() const;

private:
  std::vector<std::string> Files;
  uint64_t Events = 0, Lost = 0, Bytes = 0;
};

/// Says that a process has made the file where tpctl may see another one, as
/// the process has files of its own.
void tellElsewhere(const Connection &C, llvm::StringRef Path);

/// Why no recording can be made under this name, so that a command would run in
/// vain: no folder, no right, no room, or a file that is not a recording.
llvm::Error checkPlace(const std::string &Path);

} // namespace tpctl

#endif
